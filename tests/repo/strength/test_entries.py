"""What runners have stored for the snapshots of a test is part of what it proves."""

from dataclasses import replace

import pytest

from pactkeeper.intent.claims import Claim, Name, Value
from pactkeeper.intent.strength.facts import Fact, Strength
from pactkeeper.intent.strength.review import is_shortened, reviewed, since, since_review
from pactkeeper.intent.tests import Test
from pactkeeper.repo.strength.entries import entries, with_stored

STORED = """\
// Vitest Snapshot v1

exports[`cart > refuses 1`] = `[Error: sold out]`;

exports[`cart > refuses > twice 1`] = `[Error: again]`;

exports[`cart > refuses: of a guest 1`] = `
{
  "name": "guest",
}
`;

exports[`cart refuses 1`] = `"as Jest names it"`;
"""
AMBR = "# name: TestCart.test_refuses[EUR]\n  'sold out'\n# ---\n# name: TestCart.test_refuses_more\n  'more'\n"


def declared(file: str = "src/cart.test.ts", suite: str = "cart", name: str = "refuses") -> Test:
    """A test of the cart."""
    return Test(f"{file}::{suite}::{name}", file, (suite,), name, 1, 1, 3, "javascript", "vitest", "b1:0")


def strength(claim: Claim | None = None, quote: str = "expect(cart()).toMatchSnapshot()") -> Strength:
    """The strength of a test with one assertion."""
    return Strength(facts=(Fact(claim or Claim("snapshot", Name("cart")), line=2, quote=quote),))


def stored(one: Strength, of: Test, text: str = STORED) -> list[str]:
    paths = {"src/__snapshots__/cart.test.ts.snap": text, "tests/__snapshots__/test_cart.ambr": text}
    found = with_stored(one, of, lambda path: paths[path].encode() if path in paths else None)
    added = [fact.claim.object for fact in found.facts if fact not in one.facts]
    return [value.text for value in added if isinstance(value, Value)]


def test_the_entries_of_a_test_are_facts_and_those_of_other_tests_are_not():
    assert stored(strength(), declared()) == ["[Error: sold out]", '{\n"name": "guest",\n}', '"as Jest names it"']


def test_an_expected_error_takes_its_text_from_the_file_too():
    raised = strength(Claim("raises", Name("Error")), quote="expect(refuse).toThrowErrorMatchingSnapshot()")
    assert "[Error: sold out]" in stored(raised, declared())


def test_syrupys_entries_go_by_class_function_and_parameters():
    of = declared("tests/test_cart.py", "TestCart", "test_refuses")
    assert stored(strength(quote="assert cart() == snapshot"), of, AMBR) == ["'sold out'\n# ---"]


@pytest.mark.parametrize(
    ("one", "of"),
    [
        (strength(Claim("equals", Name("cart"), Name("other")), quote="expect(cart).toBe(other)"), declared()),
        (Strength(), declared()),
        (strength(), replace(declared(), dynamic=True)),
        (strength(), declared(file="src/other.test.ts")),
    ],
    ids=["takes no snapshot", "asserts nothing", "a title made while it runs", "no file"],
)
def test_otherwise_nothing_is_added(one, of):
    assert stored(one, of) == []


def test_of_a_long_entry_the_beginning_and_a_digest_are_kept():
    long = "// Vitest Snapshot v1\n\nexports[`cart > refuses 1`] = `" + "x" * 5_000 + "`;\n"
    (text,) = stored(strength(), declared(), long)
    (other,) = stored(strength(), declared(), long.replace("xx`", "xy`"))
    assert len(text) < 300
    assert text != other


def test_a_text_that_is_no_snapshot_file_has_no_entries():
    assert entries("a\nb\n") == {}


@pytest.mark.parametrize("filled", ['"name": "guest",', "x" * 500], ids=["short", "long"])
@pytest.mark.parametrize("change", ["", '"name": "other",'], ids=["the same text", "another text"])
def test_a_stored_snapshot_may_stand_in_the_test_itself_as_the_same_text(filled, change):
    snap = f"exports[`cart > refuses 1`] = `\n{{\n  {filled}\n}}\n`;\n"
    inline = f"it(() => {{\n  expect(cart()).toMatchInlineSnapshot(`\n    {{\n      {change or filled}\n    }}\n  `);\n}});\n"
    of = replace(declared(), end_line=7)
    old = with_stored(strength(), of, {"src/__snapshots__/cart.test.ts.snap": snap.encode()}.get)
    now = with_stored(strength(quote="expect(cart()).toMatchInlineSnapshot(`"), of, {of.file: inline.encode()}.get)
    assert bool(since(old, now, test=of.id)) == bool(change)
    told = since_review(reviewed(old), now, test=of.id)
    assert bool(told) == bool(change) or is_shortened(reviewed(old))
