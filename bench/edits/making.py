"""Define edits, the small project they apply to, and the functions that apply them."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

PY, PY2 = "tests/test_orders.py", "tests/test_login.py"
TS, TS2 = "tests/orders.test.ts", "tests/login.test.ts"
FILES = {
    PY: '''\
"""Orders."""

import pytest

from shop import Cart, Order

RATES = [1, 2]


def make_cart():
    return Cart()


def test_total():
    cart = make_cart()
    cart.add("book", 12)
    assert cart.total == 12


def test_empty():
    assert Cart().total == 0


@pytest.mark.parametrize("code", ["a", "b"])
def test_discount(code):
    cart = Cart()
    cart.apply(code)
    assert cart.discount > 0


def test_rates():
    for rate in RATES:
        order = Order(rate)
        assert order.rate == rate


class TestCheckout:
    def test_pays(self):
        order = Order(3)
        order.pay()
        assert order.paid

    def test_refunds(self):
        order = Order(4)
        order.pay()
        order.refund()
        assert not order.paid
''',
    PY2: """\
from shop import Login


class TestLogin:
    def test_right_password(self):
        assert Login("ada", "secret").ok

    def test_wrong_password(self):
        assert not Login("ada", "wrong").ok
""",
    TS: """\
import { describe, expect, it, test } from 'vitest'
import { Cart, Order } from '../src/shop'

const rates = [1, 2]

function makeCart() {
  return new Cart()
}

test('total', () => {
  const cart = makeCart()
  cart.add('book', 12)
  expect(cart.total).toBe(12)
})

test('empty', () => {
  expect(new Cart().total).toBe(0)
})

test.each(['a', 'b'])('discount %s', (code) => {
  const cart = new Cart()
  cart.apply(code)
  expect(cart.discount).toBeGreaterThan(0)
})

test('rates', () => {
  for (const rate of rates) {
    const order = new Order(rate)
    expect(order.rate).toBe(rate)
  }
})

describe('Checkout', () => {
  it('pays', () => {
    const order = new Order(3)
    order.pay()
    expect(order.paid).toBe(true)
  })

  it('refunds', () => {
    const order = new Order(4)
    order.pay()
    order.refund()
    expect(order.paid).toBe(false)
  })
})
""",
    TS2: """\
import { describe, expect, it } from 'vitest'
import { Login } from '../src/shop'

describe('Login', () => {
  it('right password', () => {
    expect(new Login('ada', 'secret').ok).toBe(true)
  })

  it('wrong password', () => {
    expect(new Login('ada', 'wrong').ok).toBe(false)
  })
})
""",
    "src/shop.ts": "export class Cart {}\n",
    "shop.py": "class Cart: ...\n",
    "package.json": '{"name": "shop", "devDependencies": {"vitest": "2.0.0"}}\n',
    "pyproject.toml": '[project]\nname = "shop"\n',
}
PY_NAMES = (
    "test_total",
    "test_empty",
    "test_discount",
    "test_rates",
    "TestCheckout::test_pays",
    "TestCheckout::test_refunds",
)
TS_NAMES = ("total", "empty", "discount %s", "rates", "Checkout::pays", "Checkout::refunds")

Steps = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Truth:
    """What an edit is known to do, as whole ids in the order of the scan."""

    added: tuple[str, ...] = ()
    modified: tuple[str, ...] = ()
    moved: Steps = ()
    renamed: Steps = ()
    deleted: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Edit:
    """One change of a repository; `base` are files that are there before it, besides those of the project.

    `only` names the one state in which the edit is judged, where the others would show something else.
    """

    name: str
    make: Callable[[Path], None]
    truth: Truth = Truth()
    only: str = ""
    base: Mapping[str, str] = field(default_factory=dict)


def of(file: str, *names: str) -> tuple[str, ...]:
    return tuple(f"{file}::{name}" for name in names)


def steps(old: str, new: str, *names: str) -> Steps:
    return tuple(zip(of(old, *names), of(new, *names), strict=True))


def substitute(path: str, *changes: tuple[str, str]) -> Callable[[Path], None]:
    """Replace texts of one file; each must occur, or the edit would test nothing."""

    def make(root: Path) -> None:
        text = (root / path).read_text()
        for old, new in changes:
            assert old in text, (path, old)
            text = text.replace(old, new, 1)
        (root / path).write_text(text)

    return make


def rewrite(path: str, change: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    def make(root: Path) -> None:
        before = (root / path).read_bytes()
        after = change(before)
        assert before != after, path
        (root / path).write_bytes(after)

    return make


def rename(old: str, new: str) -> Callable[[Path], None]:
    def make(root: Path) -> None:
        (root / new).parent.mkdir(parents=True, exist_ok=True)
        (root / old).rename(root / new)

    return make


def create(path: str, text: str) -> Callable[[Path], None]:
    def make(root: Path) -> None:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)

    return make


def remove(path: str) -> Callable[[Path], None]:
    return lambda root: (root / path).unlink()


def both(*makes: Callable[[Path], None]) -> Callable[[Path], None]:
    def make(root: Path) -> None:
        for one in makes:
            one(root)

    return make


def git(root: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=bench", "-c", "user.email=bench@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", str(root), *identity, *arguments], check=True, capture_output=True)


def between(text: str, start: str, end: str | None) -> str:
    """The part of a text from `start` up to `end`."""
    begin = text.index(start)
    return text[begin:] if end is None else text[begin : text.index(end, begin)]


def indented(text: str, by: str) -> str:
    return "".join(by + line if line.strip() else line for line in text.splitlines(keepends=True))
