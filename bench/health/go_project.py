"""The project in Go: go build and go test."""

from __future__ import annotations

from typing import Final

from bench.health.fault import Fault, Project, conflict

_FILES: Final = {
    "go.mod": "module example.com/orders\n\ngo 1.19\n",
    "models/models.go": """package models

type Line struct {
	Name     string
	Price    int
	Quantity int
}

type Order struct {
	Number int
	Lines  []Line
}

func MakeOrder(number int, lines ...Line) Order { return Order{Number: number, Lines: lines} }
""",
    "pricing/pricing.go": """package pricing

import "example.com/orders/models"

func Subtotal(order models.Order) int {
	sum := 0
	for _, line := range order.Lines {
		sum += line.Price * line.Quantity
	}
	return sum
}

func Total(order models.Order) int {
	if Subtotal(order) >= 1000 {
		return Subtotal(order) - Subtotal(order)/10
	}
	return Subtotal(order)
}
""",
    "pricing/pricing_test.go": """package pricing

import (
	"testing"

	"example.com/orders/models"
)

func TestSubtotalMultiplies(t *testing.T) {
	if got := Subtotal(models.MakeOrder(1, models.Line{Name: "pen", Price: 20, Quantity: 3})); got != 60 {
		t.Errorf("Subtotal() = %d, want 60", got)
	}
}

func TestLargeOrderGetsATenthOff(t *testing.T) {
	if got := Total(models.MakeOrder(1, models.Line{Name: "desk", Price: 1000, Quantity: 1})); got != 900 {
		t.Errorf("Total() = %d, want 900", got)
	}
}
""",
    "store/store.go": """package store

import "example.com/orders/models"

type Store interface {
	Save(order models.Order)
	Find(number int) (models.Order, bool)
}

type memory struct{ orders map[int]models.Order }

func (m memory) Save(order models.Order) { m.orders[order.Number] = order }

func (m memory) Find(number int) (models.Order, bool) {
	order, ok := m.orders[number]
	return order, ok
}

func Open() Store { return memory{map[int]models.Order{}} }
""",
    "store/store_test.go": """package store

import (
	"testing"

	"example.com/orders/models"
)

func TestSavedOrderIsFound(t *testing.T) {
	s := Open()
	s.Save(models.MakeOrder(7))
	if _, ok := s.Find(7); !ok {
		t.Fatal("order 7 is not found")
	}
}
""",
}
_CHECKS: Final = """
[[health.check]]
name = "build"
argv = ["go", "build", "./..."]
category = "build"
parser = "go"

[[health.check]]
name = "tests"
argv = ["go", "test", "-json", "./..."]
category = "test"
parser = "go"
"""
_MODELS, _PRICING, _STORE = (f"{name}/{name}.go" for name in ("models", "pricing", "store"))
_FLAKY: Final = """package store

import (
	"os"
	"testing"
)

func TestCacheIsWarm(t *testing.T) {
	mark := os.Getenv("LAB_STATE") + "/warm"
	_, err := os.Stat(mark)
	_ = os.WriteFile(mark, nil, 0o600)
	if err != nil {
		t.Fatal("the cache is cold")
	}
}
"""
_MAIN: Final = "store/main_test.go"
_OUTSIDE: Final = """package store

import (
	"fmt"
	"os"
	"testing"
)

func TestMain(m *testing.M) {
"""
_FULL: Final = '	fmt.Println("write /data/orders: no space left on device")\n	os.Exit(1)\n}\n'
_AWAY: Final = '	fmt.Println("dial tcp 127.0.0.1:5432: connect: connection refused")\n	os.Exit(1)\n}\n'
_FIND: Final = "Find(number int) (models.Order, bool) {\n	order, ok := m.orders[number]"
PROJECT: Final = Project(
    "go",
    _FILES,
    _CHECKS,
    (
        Fault("field-renamed", "rename", ((_MODELS, "	Price ", "	Amount "),), "build"),
        Fault("number-renamed", "rename", ((_MODELS, "	Number int", "	Ident int"),), "build"),
        Fault("function-renamed", "rename", ((_PRICING, "func Subtotal", "func SumUp"),), "build"),
        Fault("maker-renamed", "rename", ((_MODELS, "func MakeOrder", "func NewOrder"),), "test"),
        Fault("type-gone", "missing export", ((_MODELS, "type Line struct", "type line struct"),), "build"),
        Fault("order-gone", "missing export", ((_MODELS, "type Order struct", "type order struct"),), "build"),
        Fault(
            "find-takes-text",
            "interface",
            ((_STORE, _FIND, _FIND.replace("number int", "number string").replace("[number]", "[len(number)]")),),
            "build",
        ),
        Fault(
            "store-wants-more",
            "interface",
            ((_STORE, "	Find(number", "	Drop(number int)\n	Find(number"),),
            "build",
        ),
        Fault("sum-off-by-one", "behaviour", ((_PRICING, "sum := 0", "sum := 1"),), "test"),
        Fault("discount-doubled", "behaviour", ((_PRICING, "/10", "/5"),), "test"),
        Fault("nothing-kept", "behaviour", ((_STORE, "{ m.orders[order.Number] = order }", "{}"),), "test"),
        Fault("map-not-made", "behaviour", ((_STORE, "memory{map[int]models.Order{}}", "memory{}"),), "test"),
        Fault("open-brace", "syntax", ((_MODELS, "Lines: lines} }", "Lines: lines}"),), "build"),
        Fault("stray-sign", "syntax", ((_PRICING, "func Total(", "func )Total("),), "build"),
        Fault("markers-in-code", "conflict markers", ((_PRICING, "", conflict("// a\n", "// b\n")),), "conflict"),
        Fault(
            "library-missing",
            "missing dependency",
            ((_PRICING, 'import "', 'import _ "example.org/nosuch/lib"\nimport "'),),
            "build",
        ),
        Fault("fails-once", "flaky", (("store/cache_test.go", "", _FLAKY),), "test", "flaky", 0),
        Fault("disk-full", "infrastructure", ((_MAIN, "", _OUTSIDE + _FULL),), "test", "infrastructure", 0),
        Fault("database-away", "infrastructure", ((_MAIN, "", _OUTSIDE + _AWAY),), "test", "infrastructure", 0),
        Fault(
            "tool-missing",
            "infrastructure",
            (("pact/pact.toml", '["go", "build"', '["nosuch-go", "build"'),),
            "build",
            "infrastructure",
            0,
        ),
    ),
)  # fmt: skip - one fault a line reads as a table
