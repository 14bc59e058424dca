"""Which functions of the product reach what a change touched."""

from typing import cast

from pactkeeper.repo.snapshot import Snapshot
from pactkeeper.repo.strength.product import caller_names
from tests.repo.strength.states import State

FILE = """
const allowed = /^a$/;
export function sort<T = string>(
  items: T[],
) {
  return items.map((one) => rank(one));
}
function rank(one) {
  return close(one);
}
function close(one) {
  return allowed.test(one) ? 1 : 2;
}
function other(one) {
  return one;
}
"""


def callers(old: str, new: str, **others: str) -> frozenset[str]:
    more = {f"src/{name}.ts": text for name, text in others.items()}
    before, after = State({"src/sort.ts": FILE, **more}), State({"src/sort.ts": FILE.replace(old, new), **more})
    return caller_names(cast("Snapshot", before), cast("Snapshot", after), ["src/sort.ts"])


def test_what_calls_a_changed_function_through_others_reaches_it():
    found = callers("? 1 : 2", "? 1 : 3")
    assert {"close", "rank", "sort"} <= found
    assert "other" not in found


def test_what_reads_a_changed_constant_reaches_it():
    found = callers("/^a$/", "/^b$/")
    assert {"close", "rank", "sort"} <= found
    assert "other" not in found


def test_a_file_that_imports_what_reaches_a_change_has_callers_too():
    found = callers(
        "? 1 : 2", "? 1 : 3", cart="import { sort } from './sort';\nexport function total(a) {\n  return sort(a);\n}\n"
    )
    assert "total" in found


def test_a_call_on_a_line_of_its_own_is_of_the_function_around_it():
    called = (
        "import { sort } from './sort';\nexport function total(a) {\n  const [one] =\n    sort(a)\n  return one;\n}\n"
    )
    assert "total" in callers("? 1 : 2", "? 1 : 3", cart=called)
