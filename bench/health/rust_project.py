"""The project in Rust: cargo build and cargo test."""

from __future__ import annotations

from typing import Final

from bench.health.fault import Fault, Project, conflict

_FILES: Final = {
    "Cargo.toml": '[package]\nname = "orders"\nversion = "0.1.0"\nedition = "2021"\n',
    ".gitignore": "target\nCargo.lock\n",
    "src/lib.rs": "pub mod models;\npub mod pricing;\npub mod store;\n",
    "src/models.rs": """#[derive(Clone, Debug, PartialEq)]
pub struct Line { pub name: String, pub price: i64, pub quantity: i64 }
#[derive(Clone, Debug, PartialEq)]
pub struct Order { pub number: u32, pub lines: Vec<Line> }
pub fn make_order(number: u32, lines: Vec<Line>) -> Order { Order { number, lines } }
""",
    "src/pricing.rs": """use crate::models::Order;
pub fn subtotal(order: &Order) -> i64 { order.lines.iter().map(|line| line.price * line.quantity).sum::<i64>() }
pub fn discount(order: &Order) -> i64 { if subtotal(order) >= 1000 { subtotal(order) / 10 } else { 0 } }
pub fn total(order: &Order) -> i64 { subtotal(order) - discount(order) }
""",
    "src/store.rs": """use crate::models::Order;
use std::collections::HashMap;
pub trait Store {
    fn save(&mut self, order: Order);
    fn find(&self, number: u32) -> Option<Order>;
}
#[derive(Default)]
pub struct Memory { orders: HashMap<u32, Order> }
impl Store for Memory {
    fn save(&mut self, order: Order) { self.orders.insert(order.number, order); }
    fn find(&self, number: u32) -> Option<Order> { self.orders.get(&number).cloned() }
}
""",
    "tests/orders.rs": """use orders::models::{make_order, Line};
use orders::pricing::{discount, subtotal, total};
use orders::store::{Memory, Store};

fn line(price: i64, quantity: i64) -> Line { Line { name: "pen".into(), price, quantity } }

#[test]
fn subtotal_multiplies() { assert_eq!(subtotal(&make_order(1, vec![line(20, 3)])), 60); }

#[test]
fn large_order_gets_a_tenth_off() { assert_eq!(discount(&make_order(1, vec![line(1000, 1)])), 100); }

#[test]
fn total_is_what_remains() { assert_eq!(total(&make_order(1, vec![line(1000, 1)])), 900); }

#[test]
fn saved_order_is_found() {
    let mut store = Memory::default();
    store.save(make_order(7, vec![]));
    assert_eq!(store.find(7), Some(make_order(7, vec![])));
}
""",
}
_CHECKS: Final = """
[[health.check]]
name = "build"
argv = ["cargo", "build", "--offline", "--quiet"]
category = "build"
parser = "cargo"

[[health.check]]
name = "tests"
argv = ["cargo", "test", "--offline", "--no-fail-fast"]
category = "test"
parser = "cargo"
"""
_MODELS, _PRICING, _STORE = (f"src/{name}.rs" for name in ("models", "pricing", "store"))
_FLAKY: Final = """
#[test]
fn cache_is_warm() {
    let mark = std::path::PathBuf::from(std::env::var("LAB_STATE").unwrap()).join("warm");
    let was = mark.exists();
    std::fs::write(&mark, "").unwrap();
    assert!(was);
}
"""


def _script(number: int) -> str:
    """A build script that ends with an error of the system, by its number."""
    return f'fn main() {{ panic!("{{}}", std::io::Error::from_raw_os_error({number})); }}\n'


_FIND: Final = "fn find(&self, number: u32) -> Option<Order> {"
PROJECT: Final = Project(
    "rust",
    _FILES,
    _CHECKS,
    (
        Fault("field-renamed", "rename", ((_MODELS, "pub price", "pub amount"),), "build"),
        Fault("number-renamed", "rename", ((_MODELS, "pub number: u32", "pub ident: u32"),), "build"),
        Fault("function-renamed", "rename", ((_PRICING, "fn subtotal", "fn sum_up"),), "build"),
        Fault("maker-renamed", "rename", ((_MODELS, "fn make_order", "fn new_order"),), "test"),
        Fault("type-gone", "missing export", ((_MODELS, "pub struct Order", "struct Order"),), "build"),
        Fault("module-gone", "missing export", (("src/lib.rs", "pub mod models;\n", ""),), "build"),
        Fault("total-gone", "missing export", ((_PRICING, "pub fn total", "fn total"),), "test"),
        Fault(
            "find-takes-text",
            "interface",
            ((_STORE, _FIND, _FIND.replace("number: u32", "number: &str") + " let number = number.len() as u32;"),),
            "build",
        ),
        Fault(
            "store-wants-more",
            "interface",
            (
                (
                    _STORE,
                    "    fn save(&mut self, order: Order);",
                    "    fn save(&mut self, order: Order);\n    fn drop_it(&mut self, number: u32);",
                ),
            ),
            "build",
        ),
        Fault("sum-off-by-one", "behaviour", ((_PRICING, "sum::<i64>()", "sum::<i64>() + 1"),), "test"),
        Fault("discount-doubled", "behaviour", ((_PRICING, "/ 10", "/ 5"),), "test"),
        Fault(
            "nothing-kept",
            "behaviour",
            ((_STORE, "self.orders.insert(order.number, order);", "let _ = order;"),),
            "test",
        ),
        Fault(
            "open-brace", "syntax", ((_MODELS, "{ Order { number, lines } }", "{ Order { number, lines }"),), "build"
        ),
        Fault("stray-sign", "syntax", ((_PRICING, "pub fn total", "pub fn ) total"),), "build"),
        Fault("markers-in-code", "conflict markers", ((_PRICING, "", conflict("// a\n", "// b\n")),), "conflict"),
        Fault(
            "library-missing",
            "missing dependency",
            ((_PRICING, "use crate", "use nosuchlib::thing;\nuse crate"),),
            "build",
        ),
        Fault("fails-once", "flaky", (("tests/cache.rs", "", _FLAKY),), "test", "flaky", 0),
        Fault("disk-full", "infrastructure", (("build.rs", "", _script(28)),), "build", "infrastructure", 0),
        Fault("database-away", "infrastructure", (("build.rs", "", _script(111)),), "build", "infrastructure", 0),
        Fault(
            "tool-missing",
            "infrastructure",
            (("pact/pact.toml", '["cargo", "build"', '["nosuch-cargo", "build"'),),
            "build",
            "infrastructure",
            0,
        ),
    ),
)  # fmt: skip - one fault a line reads as a table
