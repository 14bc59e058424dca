"""Edits of TypeScript tests."""

from __future__ import annotations

import os
from pathlib import Path

from bench.edits.making import (
    FILES,
    TS,
    TS2,
    TS_NAMES,
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

SOURCE = FILES[TS]
TOTAL = between(SOURCE, "test('total'", "test('empty'")
EMPTY = between(SOURCE, "test('empty'", "test.each")
CHECKOUT = between(SOURCE, "describe('Checkout'", None)
REFUNDS = between(SOURCE, "  it('refunds'", None).removesuffix("})\n")
IMPORTS = "import { describe, expect, it, test } from 'vitest'\nimport { Cart, Order } from '../src/shop'\n\n"
NEW = "tests/new.test.ts"
LOGIN = ("Login::right password", "Login::wrong password")
CHECKOUT_NAMES = ("pays", "refunds")
EVERYTHING = of(TS, *TS_NAMES)


def only_in_index(root: Path) -> None:
    substitute(TS, ("toBe(12)", "toBe(13)"))(root)
    git(root, "add", "--all")
    (root / TS).write_text(SOURCE)


def only_on_disk(root: Path) -> None:
    git(root, "add", "--all")
    substitute(TS, ("toBe(12)", "toBe(13)"))(root)


def through_a_pipe(root: Path) -> None:
    (root / TS).unlink()
    os.mkfifo(root / TS)


def swap_files(root: Path) -> None:
    (root / TS).write_text(FILES[TS2])
    (root / TS2).write_text(SOURCE)


def revert(root: Path) -> None:
    substitute(TS, ("'total'", "'sum'"))(root)
    git(root, "add", "--all")
    (root / TS).write_text(SOURCE)


EDITS = (
    Edit("nothing", lambda _: None),
    Edit("rename a test", substitute(TS, ("'total'", "'sum'")), Truth(renamed=((f"{TS}::total", f"{TS}::sum"),))),
    Edit(
        "rename a test in a suite",
        substitute(TS, ("'pays'", "'is paid'")),
        Truth(renamed=((f"{TS}::Checkout::pays", f"{TS}::Checkout::is paid"),)),
    ),
    Edit("change an assertion", substitute(TS, ("toBe(12)", "toBe(13)")), Truth(modified=of(TS, "total"))),
    Edit("change a matcher", substitute(TS, ("toBe(12)", "toEqual(12)")), Truth(modified=of(TS, "total"))),
    Edit("change a string", substitute(TS, ("'book'", "'pen'")), Truth(modified=of(TS, "total"))),
    Edit(
        "rename a test and change it",
        substitute(TS, ("'total'", "'sum'"), ("toBe(12)", "toBe(13)")),
        Truth(added=of(TS, "sum"), deleted=of(TS, "total")),
    ),
    Edit(
        "add a test",
        substitute(TS, (EMPTY, f"test('new', () => {{\n  expect(new Cart().fresh).toBe(1)\n}})\n\n{EMPTY}")),
        Truth(added=of(TS, "new")),
    ),
    Edit("delete a test", substitute(TS, (TOTAL, "")), Truth(deleted=of(TS, "total"))),
    Edit(
        "duplicate a test under another name",
        substitute(TS, (EMPTY, EMPTY + EMPTY.replace("'empty'", "'empty again'"))),
        Truth(added=of(TS, "empty again")),
    ),
    Edit("swap the order of two tests", substitute(TS, (TOTAL + EMPTY, EMPTY + TOTAL))),
    Edit(
        "swap the names of two tests",
        substitute(TS, ("'pays'", "'X'"), ("'refunds'", "'pays'"), ("'X'", "'refunds'")),
        Truth(modified=of(TS, "Checkout::refunds", "Checkout::pays")),
    ),
    Edit("reindent with four spaces", rewrite(TS, lambda data: data.replace(b"  ", b"    "))),
    Edit("reindent with tabs", rewrite(TS, lambda data: data.replace(b"  ", b"\t"))),
    Edit("change quotes", rewrite(TS, lambda data: data.replace(b"'", b'"'))),
    Edit(
        "add semicolons",
        rewrite(TS, lambda data: data.replace(b")\n", b");\n").replace(b"'vitest'\n", b"'vitest';\n")),
    ),
    Edit("wrap a call and add a trailing comma", substitute(TS, ("('book', 12)", "(\n    'book',\n    12,\n  )"))),
    Edit("put parentheses around an arrow's parameter", substitute(TS, ("(code) =>", "code =>"))),
    Edit("add a comment in a test", substitute(TS, ("  const cart", "  // a cart\n  const /* the */ cart"))),
    Edit("add a comment above a test", substitute(TS, ("test('total'", "// The sum.\ntest('total'"))),
    Edit("add an annotation", substitute(TS, ("test('total'", "// @atom IA-7F3KQ9T\ntest('total'"))),
    Edit("add lines at the top", rewrite(TS, lambda data: b"// one\n\n\n// two\n" + data)),
    Edit("CRLF line ends", rewrite(TS, lambda data: data.replace(b"\n", b"\r\n"))),
    Edit("a byte order mark", rewrite(TS, lambda data: b"\xef\xbb\xbf" + data)),
    Edit("no newline at the end", rewrite(TS, lambda data: data.rstrip(b"\n"))),
    Edit("white space at line ends", rewrite(TS, lambda data: data.replace(b"toBe(12)\n", b"toBe(12)  \n"))),
    Edit("change a function that is no test", substitute(TS, ("return new Cart()", "return new Cart(1)"))),
    Edit("change product code", substitute("src/shop.ts", ("class Cart", "class Basket"))),
    Edit("rename a file", rename(TS, NEW), Truth(moved=steps(TS, NEW, *TS_NAMES))),
    Edit(
        "call it a spec", rename(TS, "tests/orders.spec.ts"), Truth(moved=steps(TS, "tests/orders.spec.ts", *TS_NAMES))
    ),
    Edit(
        "turn it into a TSX file",
        rename(TS, "tests/orders.test.tsx"),
        Truth(moved=steps(TS, "tests/orders.test.tsx", *TS_NAMES)),
    ),
    Edit(
        "rename a file and change a test",
        both(rename(TS, NEW), substitute(NEW, ("toBe(12)", "toBe(13)"))),
        Truth(modified=of(NEW, "total"), moved=steps(TS, NEW, *TS_NAMES)),
    ),
    Edit(
        "rename a file and a test in it",
        both(rename(TS, NEW), substitute(NEW, ("'total'", "'sum'"))),
        Truth(moved=steps(TS, NEW, *TS_NAMES[1:]), renamed=((f"{TS}::total", f"{NEW}::sum"),)),
    ),
    Edit(
        "move a test to another file",
        both(substitute(TS, (EMPTY, "")), rewrite(TS2, lambda data: data + f"\n{EMPTY}".encode())),
        Truth(moved=steps(TS, TS2, "empty")),
    ),
    Edit(
        "move a test to another file and rename it",
        both(
            substitute(TS, (EMPTY, "")),
            rewrite(TS2, lambda data: data + f"\n{EMPTY}".replace("'empty'", "'nothing'").encode()),
        ),
        Truth(renamed=((f"{TS}::empty", f"{TS2}::nothing"),)),
    ),
    Edit(
        "split a file",
        both(substitute(TS, (CHECKOUT, "")), create(NEW, IMPORTS + CHECKOUT)),
        Truth(moved=steps(TS, NEW, *TS_NAMES[4:])),
    ),
    Edit(
        "split a file and change one of the tests that left",
        both(substitute(TS, (CHECKOUT, "")), create(NEW, IMPORTS + CHECKOUT.replace("Order(4)", "Order(5)"))),
        Truth(modified=of(NEW, "Checkout::refunds"), moved=steps(TS, NEW, *TS_NAMES[4:])),
    ),
    Edit(
        "merge a file into another",
        both(remove(TS2), rewrite(TS, lambda data: data + between(FILES[TS2], "describe(", None).encode())),
        Truth(moved=steps(TS2, TS, *LOGIN)),
    ),
    Edit("swap two files", swap_files, Truth(moved=(*steps(TS2, TS, *LOGIN), *steps(TS, TS2, *TS_NAMES)))),
    Edit("copy a file", create(NEW, SOURCE), Truth(added=of(NEW, *TS_NAMES))),
    Edit(
        "wrap tests in a suite",
        substitute(TS, (TOTAL + EMPTY, f"describe('Cart', () => {{\n{indented(TOTAL + EMPTY, '  ')}}})\n\n")),
        Truth(moved=tuple((f"{TS}::{name}", f"{TS}::Cart::{name}") for name in ("total", "empty"))),
    ),
    Edit(
        "unwrap a suite",
        substitute(TS, (CHECKOUT, CHECKOUT.removeprefix("describe('Checkout', () => {\n").removesuffix("})\n"))),
        Truth(moved=tuple((f"{TS}::Checkout::{name}", f"{TS}::{name}") for name in CHECKOUT_NAMES)),
    ),
    Edit(
        "rename a suite",
        substitute(TS, ("'Checkout'", "'Payment'")),
        Truth(moved=tuple((f"{TS}::Checkout::{name}", f"{TS}::Payment::{name}") for name in CHECKOUT_NAMES)),
    ),
    Edit(
        "rename a suite and change one of its tests",
        substitute(TS, ("'Checkout'", "'Payment'"), ("Order(4)", "Order(5)")),
        Truth(
            modified=of(TS, "Payment::refunds"),
            moved=tuple((f"{TS}::Checkout::{name}", f"{TS}::Payment::{name}") for name in CHECKOUT_NAMES),
        ),
    ),
    Edit(
        "put a suite into a suite",
        substitute(TS, (CHECKOUT, f"describe('Shop', () => {{\n{indented(CHECKOUT, '  ')}}})\n")),
        Truth(moved=tuple((f"{TS}::Checkout::{name}", f"{TS}::Shop::Checkout::{name}") for name in CHECKOUT_NAMES)),
    ),
    Edit(
        "move a test to another suite of the file",
        substitute(TS, (REFUNDS, f"}})\n\ndescribe('Money', () => {{\n{REFUNDS}")),
        Truth(moved=((f"{TS}::Checkout::refunds", f"{TS}::Money::refunds"),)),
    ),
    Edit(
        "parametrise a test",
        substitute(
            TS,
            (
                "test('empty', () => {\n  expect(new Cart().total).toBe(0)",
                "test.each([0])('empty', (n) => {\n  expect(new Cart().total).toBe(n)",
            ),
        ),
        Truth(modified=of(TS, "empty")),
    ),
    Edit("add a case", substitute(TS, ("['a', 'b']", "['a', 'b', 'c']")), Truth(modified=of(TS, "discount %s"))),
    Edit(
        "move an assertion out of a loop",
        substitute(
            TS,
            (
                "    const order = new Order(rate)\n    expect(order.rate).toBe(rate)\n  }\n",
                "    new Order(rate)\n  }\n  expect(order.rate).toBe(rate)\n",
            ),
        ),
        Truth(modified=of(TS, "rates")),
    ),
    Edit(
        "put an assertion under a condition",
        substitute(TS, ("  expect(cart.total).toBe(12)", "  if (cart) {\n    expect(cart.total).toBe(12)\n  }")),
        Truth(modified=of(TS, "total")),
    ),
    Edit(
        "make a test asynchronous",
        substitute(TS, ("test('empty', () =>", "test('empty', async () =>")),
        Truth(modified=of(TS, "empty")),
    ),
    Edit("change and revert", revert),
    Edit("delete a file", remove(TS), Truth(deleted=EVERYTHING)),
    Edit(
        "a new file",
        create(NEW, IMPORTS + "test('new', () => {\n  expect(1 + 1).toBe(2)\n})\n"),
        Truth(added=of(NEW, "new")),
    ),
    Edit("staged only: the index", only_in_index, Truth(modified=of(TS, "total")), only="index"),
    Edit("staged only: the working tree", only_in_index, only="worktree"),
    Edit("on disk only: the index", only_on_disk, only="index"),
    Edit("on disk only: the working tree", only_on_disk, Truth(modified=of(TS, "total")), only="worktree"),
    Edit("comment a test out", substitute(TS, (EMPTY, f"/*\n{EMPTY}*/\n")), Truth(deleted=of(TS, "empty"))),
    Edit(
        "put a test into a string",
        substitute(TS, (EMPTY, f"const example = `\n{EMPTY}`\n")),
        Truth(deleted=of(TS, "empty")),
    ),
    Edit("an ignored file", both(create(".gitignore", "new.test.ts\n"), create(NEW, SOURCE))),
    Edit("a file that cannot be read", through_a_pipe, Truth(unseen=EVERYTHING), only="worktree"),
    Edit(
        "settings that leave a file out",
        create("vitest.config.ts", "export default { test: { include: ['tests/l*.test.ts'] } }\n"),
        Truth(deleted=EVERYTHING),
    ),
    Edit(  # ids come first: what is called `twice` now has another body, and there is no second one any more
        "delete the first of two tests with one name",
        substitute(TS, ("test('twice', () => {\n  expect(1).toBe(new Order(1).n)\n})\n", "")),
        Truth(modified=of(TS, "twice"), deleted=of(TS, "twice#2")),
        base={
            TS: SOURCE
            + "test('twice', () => {\n  expect(1).toBe(new Order(1).n)\n})\n"
            + "test('twice', () => {\n  expect(2).toBe(new Order(2).n)\n})\n"
        },
    ),
    Edit(
        "broken syntax",
        substitute(TS, ("  expect(new Cart().total).toBe(0)\n})", "  expect(new Cart().total).toBe(0)\n")),
        Truth(unseen=of(TS, "empty")),
    ),
)
