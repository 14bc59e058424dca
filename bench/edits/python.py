"""Edits of Python tests."""

from __future__ import annotations

import os
from pathlib import Path

from bench.edits.making import (
    FILES,
    PY,
    PY2,
    PY_NAMES,
    Edit,
    Truth,
    between,
    both,
    create,
    git,
    indented,
    of,
    remove,
    rename,
    rewrite,
    steps,
    substitute,
)

SOURCE = FILES[PY]
TOTAL = between(SOURCE, "def test_total", "def test_empty")
EMPTY = between(SOURCE, "def test_empty", "@pytest")
DISCOUNT = between(SOURCE, "@pytest", "def test_rates")
RATES = between(SOURCE, "def test_rates", "class TestCheckout")
CHECKOUT = between(SOURCE, "class TestCheckout", None)
PAYS = between(SOURCE, "    def test_pays", "    def test_refunds")
REFUNDS = between(SOURCE, "    def test_refunds", None)
HEAD = between(SOURCE, "import pytest", "def test_total")
NEW = "tests/test_new.py"
LOGIN = ("TestLogin::test_right_password", "TestLogin::test_wrong_password")
EVERYTHING = of(PY, *PY_NAMES)


def only_in_index(root: Path) -> None:
    substitute(PY, ("== 12", "== 13"))(root)
    git(root, "add", "--all")
    (root / PY).write_text(SOURCE)


def only_on_disk(root: Path) -> None:
    git(root, "add", "--all")
    substitute(PY, ("== 12", "== 13"))(root)


def through_a_pipe(root: Path) -> None:
    (root / PY).unlink()
    os.mkfifo(root / PY)


def swap_files(root: Path) -> None:
    (root / PY).write_text(FILES[PY2])
    (root / PY2).write_text(SOURCE)


def revert(root: Path) -> None:
    substitute(PY, ("def test_total", "def test_sum"))(root)
    git(root, "add", "--all")
    (root / PY).write_text(SOURCE)


EDITS = (
    Edit("nothing", lambda _: None),
    Edit(
        "rename a test",
        substitute(PY, ("test_total", "test_sum")),
        Truth(renamed=((f"{PY}::test_total", f"{PY}::test_sum"),)),
    ),
    Edit(
        "rename a test in a class",
        substitute(PY, ("test_pays", "test_is_paid")),
        Truth(renamed=((f"{PY}::TestCheckout::test_pays", f"{PY}::TestCheckout::test_is_paid"),)),
    ),
    Edit("change an assertion", substitute(PY, ("== 12", "== 13")), Truth(modified=of(PY, "test_total"))),
    Edit("change a string", substitute(PY, ('"book"', '"pen"')), Truth(modified=of(PY, "test_total"))),
    Edit(
        "rename a test and change it",
        substitute(PY, ("test_total", "test_sum"), ("== 12", "== 13")),
        Truth(added=of(PY, "test_sum"), deleted=of(PY, "test_total")),
    ),
    Edit(
        "add a test",
        substitute(PY, ("def test_empty", "def test_new():\n    assert Cart().new == 1\n\n\ndef test_empty")),
        Truth(added=of(PY, "test_new")),
    ),
    Edit("delete a test", substitute(PY, (TOTAL, "")), Truth(deleted=of(PY, "test_total"))),
    Edit(
        "duplicate a test under another name",
        substitute(PY, (EMPTY, EMPTY + EMPTY.replace("test_empty", "test_empty_again"))),
        Truth(added=of(PY, "test_empty_again")),
    ),
    Edit("swap the order of two tests", substitute(PY, (TOTAL + EMPTY, EMPTY + TOTAL))),
    Edit(
        "swap the names of two tests",
        substitute(PY, ("test_pays", "test_X"), ("test_refunds", "test_pays"), ("test_X", "test_refunds")),
        Truth(modified=of(PY, "TestCheckout::test_refunds", "TestCheckout::test_pays")),
    ),
    Edit(
        "reindent with two spaces",
        rewrite(PY, lambda data: data.replace(b"        ", b"\0").replace(b"    ", b"  ").replace(b"\0", b"    ")),
    ),
    Edit("reindent with tabs", rewrite(PY, lambda data: data.replace(b"    ", b"\t"))),
    Edit(
        "change quotes", rewrite(PY, lambda data: data.replace(b'"book"', b"'book'").replace(b'"a", "b"', b"'a', 'b'"))
    ),
    Edit(
        "wrap a call and add a trailing comma",
        substitute(PY, ('("book", 12)', '(\n        "book",\n        12,\n    )')),
    ),
    Edit("add redundant parentheses", substitute(PY, ("assert cart.total == 12", "assert (cart.total == 12)"))),
    Edit(
        "add a comment in a test",
        substitute(PY, ("    cart = make_cart()", "    # a cart\n    cart = make_cart()  # made")),
    ),
    Edit("add a comment above a test", substitute(PY, ("def test_total", "# The sum.\ndef test_total"))),
    Edit("add a docstring", substitute(PY, ("def test_total():\n", 'def test_total():\n    """The sum."""\n'))),
    Edit("add an annotation", substitute(PY, ("def test_total", "# @atom IA-7F3KQ9T\ndef test_total"))),
    Edit("add lines at the top", rewrite(PY, lambda data: b"# one\n\n\n# two\n" + data)),
    Edit("CRLF line ends", rewrite(PY, lambda data: data.replace(b"\n", b"\r\n"))),
    Edit("a byte order mark", rewrite(PY, lambda data: b"\xef\xbb\xbf" + data)),
    Edit("no newline at the end", rewrite(PY, lambda data: data.rstrip(b"\n"))),
    Edit("white space at line ends", rewrite(PY, lambda data: data.replace(b"== 12\n", b"== 12   \n"))),
    Edit(
        "reorder imports",
        substitute(
            PY, ("import pytest\n\nfrom shop import Cart, Order", "from shop import Order, Cart\nimport pytest")
        ),
    ),
    Edit("change a function that is no test", substitute(PY, ("return Cart()", "return Cart(1)"))),
    Edit("change product code", substitute("shop.py", ("class Cart", "class Basket"))),
    Edit("rename a file", rename(PY, NEW), Truth(moved=steps(PY, NEW, *PY_NAMES))),
    Edit(
        "move a file to another folder",
        rename(PY, "tests/shop/test_orders.py"),
        Truth(moved=steps(PY, "tests/shop/test_orders.py", *PY_NAMES)),
    ),
    Edit(
        "rename a file and change a test",
        both(rename(PY, NEW), substitute(NEW, ("== 12", "== 13"))),
        Truth(modified=of(NEW, "test_total"), moved=steps(PY, NEW, *PY_NAMES)),
    ),
    Edit(
        "rename a file and a test in it",
        both(rename(PY, NEW), substitute(NEW, ("test_total", "test_sum"))),
        Truth(moved=steps(PY, NEW, *PY_NAMES[1:]), renamed=((f"{PY}::test_total", f"{NEW}::test_sum"),)),
    ),
    Edit(
        "rename a file, delete one test and add another",
        both(rename(PY, NEW), substitute(NEW, (TOTAL, "def test_other():\n    assert Order(9).other\n\n\n"))),
        Truth(added=of(NEW, "test_other"), deleted=of(PY, "test_total"), moved=steps(PY, NEW, *PY_NAMES[1:])),
    ),
    Edit(
        "rename a file in the case of its letters only",
        rename(PY, "tests/test_Orders.py"),
        Truth(moved=steps(PY, "tests/test_Orders.py", *PY_NAMES)),
    ),
    Edit(
        "move a test to another file",
        both(substitute(PY, (EMPTY, "")), rewrite(PY2, lambda data: data + f"\n\n{EMPTY}".encode())),
        Truth(moved=steps(PY, PY2, "test_empty")),
    ),
    Edit(
        "move a test to another file and rename it",
        both(
            substitute(PY, (EMPTY, "")),
            rewrite(PY2, lambda data: data + f"\n\n{EMPTY}".replace("test_empty", "test_nothing").encode()),
        ),
        Truth(renamed=((f"{PY}::test_empty", f"{PY2}::test_nothing"),)),
    ),
    Edit(
        "split a file",
        both(substitute(PY, (CHECKOUT, "")), create(NEW, f"from shop import Order\n\n\n{CHECKOUT}")),
        Truth(moved=steps(PY, NEW, *PY_NAMES[4:])),
    ),
    Edit(
        "split a file and change one of the tests that left",
        both(
            substitute(PY, (CHECKOUT, "")),
            create(NEW, "from shop import Order\n\n\n" + CHECKOUT.replace("Order(4)", "Order(5)")),
        ),
        Truth(modified=of(NEW, "TestCheckout::test_refunds"), moved=steps(PY, NEW, *PY_NAMES[4:])),
    ),
    Edit(
        "merge a file into another",
        both(remove(PY2), rewrite(PY, lambda data: data + FILES[PY2].encode())),
        Truth(moved=steps(PY2, PY, *LOGIN)),
    ),
    Edit("swap two files", swap_files, Truth(moved=(*steps(PY2, PY, *LOGIN), *steps(PY, PY2, *PY_NAMES)))),
    Edit(
        "copy a file",
        create(NEW, SOURCE),
        Truth(added=of(NEW, *PY_NAMES)),
    ),
    Edit(
        "wrap tests in a class",
        substitute(PY, (EMPTY, "class TestCart:\n" + indented(EMPTY, "    ").replace("()", "(self)", 1))),
        Truth(modified=of(PY, "TestCart::test_empty"), moved=((f"{PY}::test_empty", f"{PY}::TestCart::test_empty"),)),
    ),
    Edit(
        "rename a class",
        substitute(PY, ("TestCheckout", "TestPayment")),
        Truth(
            moved=tuple(
                (f"{PY}::TestCheckout::{name}", f"{PY}::TestPayment::{name}") for name in ("test_pays", "test_refunds")
            )
        ),
    ),
    Edit(
        "rename a class and change one of its tests",
        substitute(PY, ("TestCheckout", "TestPayment"), ("Order(4)", "Order(5)")),
        Truth(
            modified=of(PY, "TestPayment::test_refunds"),
            moved=tuple(
                (f"{PY}::TestCheckout::{name}", f"{PY}::TestPayment::{name}") for name in ("test_pays", "test_refunds")
            ),
        ),
    ),
    Edit(
        "move a method to another class of the file",
        both(substitute(PY, (REFUNDS, f"\nclass TestMoney:\n{REFUNDS}"))),
        Truth(moved=((f"{PY}::TestCheckout::test_refunds", f"{PY}::TestMoney::test_refunds"),)),
    ),
    Edit(
        "parametrise a test",
        substitute(
            PY,
            (
                "def test_empty():\n    assert Cart().total == 0",
                '@pytest.mark.parametrize("n", [0])\ndef test_empty(n):\n    assert Cart().total == n',
            ),
        ),
        Truth(modified=of(PY, "test_empty")),
    ),
    Edit("add a case", substitute(PY, ('["a", "b"]', '["a", "b", "c"]')), Truth(modified=of(PY, "test_discount"))),
    Edit(
        "move an assertion out of a loop",
        substitute(PY, ("        assert order.rate == rate", "    assert order.rate == rate")),
        Truth(modified=of(PY, "test_rates")),
    ),
    Edit(
        "put an assertion under a condition",
        substitute(PY, ("    assert cart.total == 12", "    if cart:\n        assert cart.total == 12")),
        Truth(modified=of(PY, "test_total")),
    ),
    Edit(
        "skip a test",
        substitute(PY, ("def test_empty", "@pytest.mark.skip\ndef test_empty")),
        Truth(modified=of(PY, "test_empty")),
    ),
    Edit(
        "rename a local variable",
        substitute(
            PY,
            (
                'cart = make_cart()\n    cart.add("book", 12)\n    assert cart',
                'c = make_cart()\n    c.add("book", 12)\n    assert c',
            ),
        ),
        Truth(modified=of(PY, "test_total")),
    ),
    Edit(
        "make a test asynchronous",
        substitute(PY, ("def test_empty", "async def test_empty")),
        Truth(modified=of(PY, "test_empty")),
    ),
    Edit("change and revert", revert),
    Edit("delete a file", remove(PY), Truth(deleted=EVERYTHING)),
    Edit("a new file", create(NEW, "def test_new():\n    assert 1 + 1 == 2\n"), Truth(added=of(NEW, "test_new"))),
    Edit("staged only: the index", only_in_index, Truth(modified=of(PY, "test_total")), only="index"),
    Edit("staged only: the working tree", only_in_index, only="worktree"),
    Edit("on disk only: the index", only_on_disk, only="index"),
    Edit("on disk only: the working tree", only_on_disk, Truth(modified=of(PY, "test_total")), only="worktree"),
    Edit(
        "a name that is no test any more",
        substitute(PY, ("def test_empty", "def check_empty")),
        Truth(deleted=of(PY, "test_empty")),
    ),
    Edit("comment a test out", substitute(PY, (EMPTY, indented(EMPTY, "# "))), Truth(deleted=of(PY, "test_empty"))),
    Edit(
        "put a test into a string",
        substitute(PY, (EMPTY, f"EXAMPLE = '''\n{EMPTY}'''\n\n\n")),
        Truth(deleted=of(PY, "test_empty")),
    ),
    Edit(
        "an ignored file", both(create(".gitignore", "test_new.py\n"), create(NEW, "def test_new():\n    assert 1\n"))
    ),
    Edit(
        "broken syntax",
        substitute(PY, (EMPTY, "def test_empty(:\n    assert )\n\n\n")),
        Truth(modified=of(PY, "test_empty")),
    ),
    Edit("a file that cannot be read", through_a_pipe, Truth(unseen=EVERYTHING), only="worktree"),
    Edit(
        "settings that leave a file out",
        rewrite("pyproject.toml", lambda data: data + b'[tool.pytest.ini_options]\npython_files = "test_l*.py"\n'),
        Truth(deleted=EVERYTHING),
    ),
    Edit(  # the later definition takes the earlier one's name, so there is one test before and after
        "delete the first of two tests with one name",
        substitute(PY, ("def test_twice():\n    assert 1 == Order(1).n\n\n\n", "")),
        base={
            PY: SOURCE
            + "\n\ndef test_twice():\n    assert 1 == Order(1).n\n\n\ndef test_twice():\n    assert 2 == Order(2).n\n"
        },
    ),
    Edit(
        "rename two tests with equal bodies",
        substitute(PY, ("test_same_one", "test_same_first"), ("test_same_two", "test_same_second")),
        Truth(
            renamed=(
                *zip(
                    of(PY, "test_same_one", "test_same_two"), of(PY, "test_same_first", "test_same_second"), strict=True
                ),
            )
        ),
        base={
            PY: SOURCE + "\n\ndef test_same_one():\n    assert Cart()\n\n\ndef test_same_two():\n    assert Cart()\n"
        },
    ),
)
