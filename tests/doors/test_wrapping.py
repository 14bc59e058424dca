"""Lines on a terminal: wrapped where prose allows it, whole where somebody copies."""

import click
import pytest

from pactkeeper.doors.cli.output import wrapped

PROSE = "tests/test_shop.py:12: error PK101: the test has no atom, and nobody has written down what it is for so far"


def test_long_prose_is_wrapped_with_a_hanging_indent():
    assert wrapped(PROSE, 60).split("\n") == [
        "tests/test_shop.py:12: error PK101: the test has no atom,",
        "  and nobody has written down what it is for so far",
    ]


def test_each_line_hangs_by_its_own_indent():
    assert wrapped(f"one\n    {PROSE}\n", 60).split("\n")[2].startswith("      ")


def test_short_lines_and_columns_stay_as_they_are():
    text = "build    tsc: pass\n\n  a   b\n"
    assert wrapped(text, 40) == text


@pytest.mark.parametrize(
    "copied",
    [
        "pk accept tests/test_shop.py::test_tax --intent 'One sentence that says it.'",
        "`a passage that stands in backquotes and is long`",
        "git switch --create fix/a-branch 1234567890ab",
        "/a/very/long/path/that/has/no/spaces/and/is/longer/than/the/line/is.py",
    ],
)
def test_what_is_copied_is_never_broken(copied):
    lines = wrapped(f"    what to do about it is this one thing: {copied}; then look again at all of it", 50).split(
        "\n"
    )
    assert any(copied in line for line in lines)
    assert len(lines) > 2


def test_a_test_id_with_spaces_that_begins_a_line_is_whole():
    name = "    web/cart.test.ts::cart::sums up what stands in it, with all taxes"
    assert wrapped(name, 40) == name


def test_colours_take_no_room():
    line = f"{click.style('error', fg='red')} {'word ' * 14}"
    assert wrapped(line, len(click.unstyle(line))) == line


def test_nothing_but_spaces_at_the_ends_of_lines_is_lost():
    assert wrapped(PROSE, 30).split() == PROSE.split()


def test_deep_indents_of_narrow_terminals_are_left_alone():
    assert wrapped(f"{' ' * 20}{PROSE}", 30) == f"{' ' * 20}{PROSE}"
