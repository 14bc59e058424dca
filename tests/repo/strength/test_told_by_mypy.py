"""Tests of pytest-mypy-testing: what their comments expect mypy to say is what they assert."""

import pytest

from tests.repo.strength.edits import judged

TYPED = """
import pytest

@pytest.mark.mypy_testing
def test_it() -> None:
    one = load(1)
    reveal_type(one)  # R: builtins.int
    add(1, "2")  # E: Incompatible types
"""


def said(after: str) -> list[str]:
    return [f"{one.severity} {one.kind}" for one in judged(TYPED, after)]


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("  # R: builtins.int", "", ["error removed"]),
        ("    reveal_type(one)  # R: builtins.int\n", "", ["error removed"]),
        ("builtins.int", "Any", ["warning expectation"]),
        ("  # E: Incompatible types", "", ["error removed"]),
        ("Incompatible", "Unknown", ["warning expectation"]),
        ("@pytest.mark.mypy_testing", "", ["error hollow"]),
        ("  # E:", "   #  E:", []),
    ],
)
def test_a_comment_is_an_assertion(old, new, found):
    assert said(TYPED.replace(old, new)) == found


def test_another_comment_is_one_assertion_more():
    assert said(f"{TYPED}    reveal_type(load(2))  # R: builtins.str\n") == []


def test_the_comments_of_any_other_test_say_nothing():
    plain = TYPED.replace("@pytest.mark.mypy_testing", "")
    assert judged(plain, plain.replace("  # R: builtins.int", "")) == []
