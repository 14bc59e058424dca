"""Expressions of settings cannot keep a run busy, and an expression that is refused is a gap."""

import sys

import pytest

from pactkeeper.repo.languages.javascript.settings.runner import either, globbed, linear, searched
from pactkeeper.repo.languages.javascript.strength.programs import programs
from tests.repo.javascript.project import in_file
from tests.repo.javascript.test_settings import files_of


@pytest.mark.parametrize("source", ["(a+)+$", "(.*a){20}b", ".*.*.*.*.*=", "(a|a)*b"])
def test_an_expression_that_runs_away_elsewhere_ends(source):
    assert not either([".*?(?:" + source + ")"]).match("/" + "a" * 5_000 + "!")


def test_a_glob_of_many_stars_ends():
    runner = globbed("vitest", "", ["**/*a" * 30])
    assert not runner.collects("a" * 200 + "/b")


@pytest.mark.parametrize("source", [r"(?!x)(a+)+$", r"(a*)*\1b", "(unclosed", "(?=a)" + "a*" * 9])
def test_what_may_never_end_is_refused(source):
    assert linear(source) is None


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("source", "taken", "refused"),
    [
        ("[[a]", "[a", "b"),
        ("[^[a]", "b", "[a"),
        ("[a&&b]", "a&b", "c"),
        ("[a||b~~c]", "a|b~c", "d"),
        ("[+--]", "+,-", "."),
        (r"\[[[]", "", "["),
        (r"[a\\[b]", "a[b\\", "c"),
    ],
)
def test_characters_of_a_set_stand_for_themselves_behind_look_around(source, taken, refused):
    pattern = linear("(?!x)" + source)
    assert pattern is not None
    assert [one for one in taken + refused if pattern.match(one)] == list(taken)


@pytest.mark.filterwarnings("error")
def test_a_set_that_is_not_closed_is_refused_without_a_warning():
    assert linear("(?!x)[[a") is None


def test_look_around_that_repeats_little_is_matched():
    runner = either([searched(r"^(?!.*/e2e/).*\.test\.ts$", "")])
    assert runner.match("/src/a.test.ts")
    assert not runner.match("/e2e/a.test.ts")


def test_a_path_that_is_no_text_is_matched():
    assert either([searched(r"\.test\.js$", "")]).match("/a\udcff.test.js")


def test_a_refused_expression_is_a_gap_of_its_settings():
    _, gaps = files_of({"package.json": '{"jest": {"testRegex": "(?!x)(a+)+$"}}'}, "a.test.js")
    assert [gap.file for gap in gaps] == ["package.json"]
    assert "'testRegex' is not followed" in gaps[0].reason


def _calls(source, tests, *, module=""):
    """How many functions are called, in a module of that name, to read the strength of the tests of a file."""
    calls = 0

    def count(frame, event, _argument):
        nonlocal calls
        calls += event in {"call", "c_call"} and frame.f_code.co_filename.endswith(module)

    sys.setprofile(count)
    try:
        found = programs("a.test.ts", source.encode(), tests=tests, read=lambda _: None)
    finally:
        sys.setprofile(None)
    assert len(found) == len(tests)
    return calls


@pytest.mark.parametrize("inside", ["{}", "describe('s', () => {{\n{}}});"])
def test_twice_as_many_tests_of_a_file_cost_twice_as_much(inside):
    def cost(number):
        source = inside.format("it('a', () => {\nexpect(1).toBe(1)});\n" * number)
        return _calls(source, in_file(source))

    cost(1)
    assert cost(400) < 2.5 * cost(200)


def test_each_of_many_computed_titles_on_one_line_is_found_at_once():
    def cost(number):
        source = "it('a' + 'b', () => { expect(1).toBe(1) });" * number
        return _calls(source, in_file(source), module="/locate.py")

    cost(1)
    assert cost(400) < 2.5 * cost(200)
