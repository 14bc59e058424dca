"""A check's own pattern."""

import pytest

from pactkeeper.errors import InputError
from pactkeeper.health.parsers import declared, parse
from pactkeeper.health.parsers.seen import CheckOutput
from pactkeeper.intent.health import HealthCheck


def read(pattern, text):
    return parse("regex", HealthCheck("lint", ("run",), "compile", "regex", pattern=pattern), CheckOutput(text))


def test_named_groups_fill_a_diagnostic():
    pattern = r"^(?P<file>\S+):(?P<line>\d+):(?P<column>\d+): (?P<severity>\w+) (?P<rule>\w+) (?P<message>.*'(?P<symbol>\w+)'.*)"
    (one,) = read(pattern, "building\nsrc/a.c:3:4: error E12 no 'total' here\n").diagnostics
    assert (one.file, one.line, one.column, one.rule, one.symbol) == ("src/a.c", 3, 4, "E12", "total")
    assert (one.severity, one.message) == ("error", "no 'total' here")


@pytest.mark.parametrize(("word", "severity"), [("Warning", "warning"), ("note", "info"), ("fatal", "error")])
def test_severity_is_read_from_its_word(word, severity):
    found = read(r"(?P<severity>\w+): (?P<message>.*)", f"{word}: x").diagnostics
    assert found[0].severity == severity


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("(?P<file>", "is not a regular expression"),
        (r"(?P<path>\S+) (?P<message>.*)", "has the group 'path'; known are file, line"),
        (r"(\S+):(\d+)", "neither a group 'file' nor a group 'message'"),
        ("", "neither a group 'file' nor a group 'message'"),
    ],
)
def test_unusable_pattern_is_refused_with_its_reason(pattern, said):
    with pytest.raises(InputError, match=r"correct it in pact\.toml") as caught:
        read(pattern, "x")
    assert said in str(caught.value)


def test_pattern_of_exponential_time_is_ended():
    assert declared.search(r"(?P<message>(a+)+)$", ["a" * 60 + "!"], seconds=0.5) is None


def test_only_the_beginning_of_a_long_line_is_searched():
    found = read(r"(?P<message>end)", "x" * declared.LONGEST + "end\nthe end\n").diagnostics
    assert len(found) == 1
