"""The project in Python: mypy and pytest."""

from __future__ import annotations

from typing import Final

from bench.health.fault import Fault, Project, conflict

_FILES: Final = {
    "orders/__init__.py": "",
    "orders/models.py": """from dataclasses import dataclass


@dataclass(frozen=True)
class Line:
    name: str
    price: int
    quantity: int = 1


@dataclass(frozen=True)
class Order:
    number: int
    lines: tuple[Line, ...] = ()


def make_order(number: int, *lines: Line) -> Order:
    return Order(number, lines)
""",
    "orders/pricing.py": """from orders.models import Order


def subtotal(order: Order) -> int:
    return sum(line.price * line.quantity for line in order.lines)


def discount(order: Order) -> int:
    return subtotal(order) // 10 if subtotal(order) >= 1000 else 0


def total(order: Order) -> int:
    return subtotal(order) - discount(order)
""",
    "orders/store.py": """from typing import Protocol

from orders.models import Order


class Store(Protocol):
    def save(self, order: Order) -> None: ...

    def find(self, number: int) -> Order | None: ...


class Memory:
    def __init__(self) -> None:
        self._orders: dict[int, Order] = {}

    def save(self, order: Order) -> None:
        self._orders[order.number] = order

    def find(self, number: int) -> Order | None:
        return self._orders.get(number)


def open_store() -> Store:
    return Memory()
""",
    "orders/report.py": """from orders.models import Line, Order
from orders.pricing import total


def row(line: Line) -> str:
    return f"{line.quantity} {line.name} {line.price}"


def report(order: Order) -> str:
    return "\\n".join([f"Order {order.number}", *map(row, order.lines), f"Total {total(order)}"])
""",
    "tests/test_pricing.py": """from orders.models import Line, make_order
from orders.pricing import discount, subtotal, total


def test_subtotal_multiplies_price_and_quantity():
    assert subtotal(make_order(1, Line("pen", 20, 3))) == 60


def test_large_order_gets_a_tenth_off():
    assert discount(make_order(1, Line("desk", 1000))) == 100


def test_total_is_what_remains():
    assert total(make_order(1, Line("desk", 1000))) == 900
""",
    "tests/test_store.py": """from orders.models import make_order
from orders.store import open_store


def test_saved_order_is_found():
    store = open_store()
    store.save(make_order(7))
    assert store.find(7) == make_order(7)


def test_unknown_order_is_not_found():
    assert open_store().find(7) is None
""",
    "tests/test_report.py": """from orders.models import Line, make_order
from orders.report import report


def test_report_has_a_row_for_each_line():
    assert report(make_order(3, Line("pen", 20))) == "Order 3\\n1 pen 20\\nTotal 20"
""",
}
_CHECKS: Final = """
[[health.check]]
name = "types"
argv = ["{python}", "-m", "mypy", "--strict", "--no-color-output", "--cache-dir={cache}", "orders"]
category = "compile"
parser = "mypy"

[[health.check]]
name = "tests"
argv = ["{python}", "-m", "pytest", "-q", "-p", "no:cacheprovider", "--junitxml={report}", "tests"]
category = "test"
parser = "pytest"
environment = { PYTHONPATH = "." }
"""
_MODELS, _PRICING, _STORE, _REPORT = (f"orders/{name}.py" for name in ("models", "pricing", "store", "report"))
_FLAKY: Final = """

def test_cache_is_warm():
    import os, pathlib
    mark = pathlib.Path(os.environ["LAB_STATE"]) / "warm"
    was = mark.exists()
    mark.touch()
    assert was
"""
_FIND: Final = "    def find(self, number: int) -> Order | None:\n        return self._orders.get(number)"
_DECLARED: Final = "    def find(self, number: int) -> Order | None: ..."
_FULL: Final = 'raise OSError(28, "No space left on device")\n'
_NAMELESS: Final = 'import socket\nraise socket.gaierror(-3, "Temporary failure in name resolution")\n'
_SETTINGS: Final = "pact/pact.toml"
_AWAY: Final = 'raise ConnectionRefusedError(111, "connect ECONNREFUSED 127.0.0.1:5432")\n'
PROJECT: Final = Project(
    "python",
    _FILES,
    _CHECKS,
    (
        Fault("field-renamed", "rename", ((_MODELS, "price: int", "amount: int"),), "compile"),
        Fault("number-renamed", "rename", ((_MODELS, "    number: int\n", "    ident: int\n"),), "compile"),
        Fault("function-renamed", "rename", ((_PRICING, "def subtotal", "def sum_up"),), "compile"),
        Fault("maker-renamed", "rename", ((_MODELS, "def make_order", "def new_order"),), "test"),
        Fault("total-gone", "missing export", ((_PRICING, "def total", "def _total"),), "compile"),
        Fault("class-gone", "missing export", ((_STORE, "class Memory", "class _Kept"),), "compile"),
        Fault("opener-gone", "missing export", ((_STORE, "def open_store", "def _open"),), "test"),
        Fault(
            "find-takes-text",
            "interface",
            ((_STORE, _FIND, _FIND.replace("number: int", "number: str").replace("(number)", "(int(number))")),),
            "compile",
        ),
        Fault(
            "store-wants-more",
            "interface",
            ((_STORE, _DECLARED, _DECLARED + "\n\n    def drop(self, number: int) -> None: ..."),),
            "compile",
        ),
        Fault(
            "sum-off-by-one",
            "behaviour",
            ((_PRICING, "for line in order.lines)", "for line in order.lines) + 1"),),
            "test",
        ),
        Fault("discount-doubled", "behaviour", ((_PRICING, "// 10", "// 5"),), "test"),
        Fault("nothing-kept", "behaviour", ((_STORE, "self._orders[order.number] = order", "pass"),), "test"),
        Fault("rows-joined", "behaviour", ((_REPORT, '"\\n".join', '" ".join'),), "test"),
        Fault(
            "open-bracket",
            "syntax",
            ((_MODELS, "return Order(number, lines)", "return Order(number, lines"),),
            "compile",
        ),
        Fault("bad-indent", "syntax", ((_REPORT, "def report", "  def report"),), "compile"),
        Fault("markers-in-code", "conflict markers", ((_PRICING, "", conflict("A = 1\n", "A = 2\n")),), "conflict"),
        Fault(
            "markers-in-test",
            "conflict markers",
            (("tests/test_store.py", "", conflict("A = 1\n", "A = 2\n")),),
            "conflict",
        ),
        Fault(
            "library-missing",
            "missing dependency",
            ((_PRICING, "from orders", "import nosuchlib\nfrom orders"),),
            "compile",
        ),
        Fault("fails-once", "flaky", (("tests/test_store.py", "", _FLAKY),), "test", "flaky", 0),
        Fault("disk-full", "infrastructure", (("tests/conftest.py", "", _FULL),), "test", "infrastructure", 0),
        Fault("name-unknown", "infrastructure", (("tests/conftest.py", "", _NAMELESS),), "test", "infrastructure", 0),
        Fault(
            "tool-missing",
            "infrastructure",
            ((_SETTINGS, '"-m", "mypy", "--strict"', '"-m", "nosuchchecker", "--strict"'),),
            "compile",
            "infrastructure",
            0,
        ),
        Fault("database-away", "infrastructure", (("tests/conftest.py", "", _AWAY),), "test", "infrastructure", 0),
    ),
)  # fmt: skip - one fault a line reads as a table
