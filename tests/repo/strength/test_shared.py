"""Code that tests share and that no assertion shows: fakes, predicates, waiting helpers."""

from __future__ import annotations

from textwrap import indent

import pytest

from pactkeeper.intent.strength.matching import Spelling
from pactkeeper.intent.tests import Test
from pactkeeper.repo.strength.shared import shared_changes
from tests.repo.strength.states import State

FAKE = """
class FakeStore:
    def __init__(self):
        self.open = True

    def put(self, key, value):
        if not self.open:
            raise ValueError("closed")
        self.rows[key] = value

    def rows_of(self, key):
        return [row for row in self.rows if row.key == key]
"""
WAIT = """
export async function waitFor(check, timeout) {
  while (!check()) {
    if (Date.now() > timeout) throw new Error('timed out');
    await tick();
  }
}
"""


def told(before, after, *, tests=(), spelling=None):
    """What is reported of one file: the definition, and the lines before and after."""
    sides = [({"tests/fakes.py": text} if isinstance(text, str) else text) for text in (before, after)]
    by_file = {"tests/fakes.py": list(tests)} if tests else {}
    old, new = ((State(files), by_file) for files in sides)
    paths = {path for files in sides for path in files}
    return [(one.test, one.old, one.new) for one in shared_changes(old, new, paths, spelling or Spelling())]  # type: ignore[arg-type]  # a state is all of a snapshot that is read


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ('            raise ValueError("closed")\n', "            return\n", "put"),
        ("if not self.open:", "if not self.open and key:", "put"),
        ("row.key == key]", "row.key]", "rows_of"),
        ('        if not self.open:\n            raise ValueError("closed")\n', "", "put"),
    ],
)
def test_a_fake_that_refuses_or_returns_less_is_reported_once(old, new, name):
    assert old in FAKE
    found = told(FAKE, FAKE.replace(old, new))
    assert [test for test, *_ in found] == [f"tests/fakes.py::FakeStore.{name}"]


def test_a_waiting_helper_that_gives_up_quietly_shows_both_lines():
    later = WAIT.replace("throw new Error('timed out')", "return false")
    assert told({"test/wait.js": WAIT}, {"test/wait.js": later}) == [
        (
            "test/wait.js::waitFor",
            "if (Date.now() > timeout) throw new Error('timed out')",
            "if (Date.now() > timeout) return false",
        )
    ]


@pytest.mark.parametrize(
    "after",
    [
        FAKE.replace('"closed"', '"the store is closed"'),
        FAKE.replace('"closed")', '"closed")  # noqa: TRY003 - it is told'),
        FAKE.replace("def put(self, key, value):", "def put(self, key: str, value: object) -> None:"),
        FAKE.replace("        self.rows[key] = value", "        self.puts += 1\n        self.rows[key] = value"),
        FAKE.replace("def put", "async def put"),
        "",
        {"tests/support/store.py": FAKE},
        FAKE + "\n    def close(self):\n        self.open = False\n",
    ],
    ids=["message", "commented", "typed", "records-more", "async", "gone", "moved", "more"],
)
def test_a_fake_that_refuses_as_much_is_silent(after):
    assert told(FAKE, after) == []


def test_a_mark_of_a_comment_inside_a_text_ends_no_code():
    both = FAKE.replace("row.key == key", "row.key != ' # ' and row.key == key")
    assert told(both, both.replace(" and row.key == key", ""))


def test_a_name_that_the_product_gave_up_is_no_change():
    later = FAKE.replace("row.key == key", "row.name == key")
    assert told(FAKE, later)
    assert told(FAKE, later, spelling=Spelling(gone=frozenset({"key"}))) == []


def test_what_stands_inside_a_test_is_compared_as_assertions():
    source = "def test_it():\n    def check():\n        return price() == 1\n    assert check()\n"
    test = Test("tests/fakes.py::test_it", "tests/fakes.py", (), "test_it", 1, 1, 4, "python", "pytest", "")
    assert told(source, source.replace("== 1", ""), tests=[test]) == []


def test_one_class_of_two_files_may_move_into_a_third():
    before = {"tests/test_a.py": FAKE, "tests/test_b.py": FAKE}
    after = {"tests/test_a.py": "", "tests/test_b.py": "", "tests/fakes.py": FAKE}
    assert told(before, after) == []
    assert told(before, {**after, "tests/fakes.py": FAKE.replace("if not self.open", "if self.shut")}) != []


FILLED = """
const cases = [];
for (let code = 0; code <= 0xfff; code++) {
  if (code >= 0xd8 && code <= 0xdf) continue;
  const one = String.fromCharCode(code);
  cases.push([one, () => encode(one)]);
}
"""
FILLED_IN_PYTHON = """
CASES = []
for code in range(100):
    if code in KNOWN:
        continue
    CASES.append((code, chr(code)))
"""


@pytest.mark.parametrize(
    ("text", "old", "new", "table"),
    [
        (FILLED, "code <= 0xfff;", "code <= 0xff;", "cases"),
        (FILLED, "if (code >= 0xd8", "if (code >= 0x80", "cases"),
        (FILLED, "let code = 0;", "let code = 65;", "cases"),
        (f"describe('all', () => {{{indent(FILLED, '  ')}}});", "code <= 0xfff;", "code <= 0xff;", "describe.cases"),
        (FILLED_IN_PYTHON, "range(100)", "range(10)", "CASES"),
        (FILLED_IN_PYTHON, "if code in KNOWN:", "if code in KNOWN or code > 9:", "CASES"),
    ],
)
def test_a_loop_that_fills_a_table_with_other_rows_is_reported_by_its_table(text, old, new, table):
    assert old in text
    assert [test for test, *_ in told(text, text.replace(old, new))] == [f"tests/fakes.py::{table}"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("code <= 0xfff;", "code <= 0xffff;"),
        ("const one =", "const character ="),
        ("() => encode(one)", "() => encode(String(one))"),
        ("const cases = [];", "const cases: Row[] = [];"),
    ],
)
def test_a_loop_that_fills_a_table_with_as_many_rows_is_silent(old, new):
    assert old in FILLED
    assert told(FILLED, FILLED.replace(old, new)) == []


def test_a_loop_that_declares_tests_is_compared_with_them():
    text = "for (const row of rows) {\n  if (row.slow) continue;\n  seen.push(row);\n  it(row.name, () => {});\n}\n"
    test = Test("tests/fakes.py::row", "tests/fakes.py", (), "row", 4, 4, 4, "javascript", "vitest", "")
    assert told(text, text.replace("row.slow", "row.name"), tests=[test]) == []


def test_a_definition_that_is_gone_leaves_its_unchanged_neighbour_alone():
    same = "def {}():\n    with open({!r}) as file:\n        return read(file)\n\n\n"
    unused, used = same.format("unused", "a.json"), same.format("used", "b.json")
    assert told(unused + used, used) == []
    assert [test for test, *_ in told(unused + used, used.replace("return read", "read"))] == ["tests/fakes.py::used"]


EXPECTS = """
export function checks(text) {
  expect(text).not.toContain("/50%25.png");
  expect(text).not.toContain("..");
}
"""


def test_an_expectation_is_told_by_the_text_that_it_is_about():
    gone = EXPECTS.replace('toContain("..")', "toMatch(/zzz/)")
    more = gone + 'export function others(text) {\n  expect(text).not.toContain("etc");\n}\n'
    pair = ('expect(text).not.toContain("..")', "expect(text).not.toMatch(/zzz/)")
    for after in (gone, more):
        assert told(EXPECTS, after) == [("tests/fakes.py::checks.expect", *pair)]
    assert told(EXPECTS, EXPECTS.replace('"', "'")) == []


def test_a_definition_that_moved_and_decides_otherwise_is_told_where_it_is_now():
    other = FAKE.replace("if not self.open:", "if not self.open and key:")
    before = {"tests/a.py": FAKE, "tests/b.py": "x = 1\n"}
    after = {"tests/a.py": "y = 1\n", "tests/b.py": f"x = 1\n\n\n{other}"}
    (change,) = shared_changes((State(before), {}), (State(after), {}), ["tests/a.py", "tests/b.py"], Spelling())  # type: ignore[arg-type]  # as above
    assert (change.test, change.line, change.new) == ("tests/b.py::FakeStore.put", 10, "if not self.open and key:")


BROKEN = [
    ("function f(a) {{\n  {}\n    throw new E();\n  }}\n}}\n", "if (a.b > 1 && a.has((b) => b)) {", "if (\n    a.b > 1 &&\n    a.has((b) => b)\n  ) {"),
    ("function f(a) {{\n  if (\n    c\n  ) {{\n    d();\n  }} {}\n    throw new E();\n  }}\n}}\n", "else if (a.b > 1 && a.c) {", "else if (\n    a.b > 1 &&\n    a.c\n  ) {"),
    ("function f(a) {{\n  {}\n}}\n", "return a.b > 1 && a.c;", "return (\n    a.b > 1 &&\n    a.c\n  );"),
    ("def f(a):\n    {}\n        raise E\n", "if a.b > 1 and g(a.c):", "if (\n        a.b > 1\n        and g(a.c)\n    ):"),
    ("def f(a):\n    {}\n        a.wait()\n", "while g(a, b=1):", "while g(\n        a,\n        b=1,\n    ):"),
]  # fmt: skip


@pytest.mark.parametrize(("around", "line", "lines"), BROKEN)
def test_a_condition_that_is_broken_into_lines_or_joined_again_decides_what_it_did(around, line, lines):
    whole, broken = around.format(line), around.format(lines)
    assert told(whole, broken) == told(broken, whole) == []
    ((_, old, new),) = told(whole, broken.replace("a.b > 1", "q > 1").replace("b=1", "q=2"))
    assert line.strip(";") in old
    assert "q" in new


def test_a_constant_that_becomes_a_local_of_another_name_decides_as_much():
    before = "_OLD = hasattr(sys, 'old_version')\n\n\ndef names(given):\n    if not _OLD:\n        return given\n"
    after = "def names(given):\n    old = hasattr(sys, 'old_version')\n    if not old:\n        return given\n"
    assert told(before, after) == []
    assert told(before, after.replace("old_version", "new_version")) != []
    assert told(before, after.replace("if not", "if")) != []


STORE = "export const store = {\n  async getItem(key) {\n    WAIT\n    return rows[key]\n  },\n}\n"
SLEEP = "export function sleep(ms) {\n  return new Promise((resolve) => setTimeout(resolve, ms))\n}\n"
WAITED = "await new Promise<void>((resolve) => setTimeout(resolve, 100))"


def test_a_line_that_becomes_a_helper_decides_as_much():
    before = {"test/a.js": STORE.replace("WAIT", WAITED)}
    after = {"test/a.js": STORE.replace("WAIT", "await sleep(100)"), "test/utils.js": SLEEP}
    assert told(before, after) == []
    assert told(before, {**after, "test/utils.js": SLEEP.replace("setTimeout(resolve, ms)", "resolve()")}) != []
