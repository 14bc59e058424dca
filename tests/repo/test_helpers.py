"""What tests assert through functions of their own file."""

import pytest

from tests.repo.javascript.project import in_file
from tests.repo.python.snapshots import scan_module

PYTHON = """
def is_fine(value):
    assert value == 200

def goes_on(value):
    is_fine(value)

def prepares(value):
    return value

class TestIt:
    def is_large(self, value):
        self.assertGreater(value, 9)

    def test_method(self):
        self.is_large(10)

def test_direct():
    is_fine(200)

def test_through_another():
    goes_on(200)

def test_of_its_own():
    assert prepares(1) == 1

def test_of_another_object(tool):
    tool.is_fine(200)
"""
JAVASCRIPT = """
import { expect, it } from "vitest";
function isFine(value) { expect(value).toBe(200); }
const goesOn = (value) => { isFine(value); };
const prepares = (value) => value;
it("direct", () => { isFine(200); });
it("through another", () => { goesOn(200); });
it("of its own", () => { expect(prepares(1)).toBe(1); });
"""


def python(text):
    return {test.name: test.helpers for test in scan_module(text).tests}


def javascript(text):
    return {test.name: test.helpers for test in in_file(text)}


def changed(read, text, old, new):
    """The tests whose helpers say something else after a change."""
    assert old in text
    before, after = read(text), read(text.replace(old, new))
    return {name for name in before if before[name] != after[name]}


@pytest.mark.parametrize(
    ("read", "text", "reaching"),
    [
        (python, PYTHON, {"test_direct", "test_through_another", "test_method"}),
        (javascript, JAVASCRIPT, {"direct", "through another"}),
    ],
)
def test_only_tests_that_reach_an_asserting_helper_have_a_digest(read, text, reaching):
    assert {name for name, helpers in read(text).items() if helpers} == reaching


def test_changed_assertion_of_a_helper_changes_the_tests_that_reach_it():
    assert changed(python, PYTHON, "value == 200", "value == 500") == {"test_direct", "test_through_another"}
    assert changed(python, PYTHON, "assertGreater(value, 9)", "assertGreater(value, 8)") == {"test_method"}
    assert changed(javascript, JAVASCRIPT, "expect(value).toBe(200)", "expect(value).toBe(5)") == {
        "direct",
        "through another",
    }


def test_assertion_that_is_taken_out_of_a_helper_changes_the_tests_that_reach_it():
    assert changed(python, PYTHON, "    assert value == 200\n", "    print(value)\n") >= {"test_direct"}


@pytest.mark.parametrize(
    ("read", "text", "old", "new"),
    [
        (python, PYTHON, "    assert value == 200", "    # as the standard says\n    assert (value) == 200"),
        (python, PYTHON, "    return value", "    return value or 0"),
        (javascript, JAVASCRIPT, "{ expect(value).toBe(200); }", "{\n  // as it should\n  expect(value).toBe(200)\n}"),
        (javascript, JAVASCRIPT, "(value) => value;", "(value) => value || 0;"),
    ],
)
def test_layout_and_functions_that_assert_nothing_change_no_digest(read, text, old, new):
    assert changed(read, text, old, new) == set()


def test_helpers_that_call_each_other_end():
    text = "def one(x):\n    two(x)\n\ndef two(x):\n    assert one(x)\n\ndef test_it():\n    one(1)\n"
    assert python(text)["test_it"].startswith("h1:")
