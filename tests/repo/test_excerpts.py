import pytest

from pactkeeper.errors import InputError, UsageError
from pactkeeper.operators.files import LONGEST_LINE, MOST_CHARACTERS, excerpt, expression, hits, listed


def found(pattern, data, **how):
    return [(one.line, one.text) for one in hits("a.txt", data, expression(pattern, **how))]


def test_lines_are_given_as_they_are_numbered():
    part = excerpt("one\r\ntwo\nthree\n", "a.txt", start=2, end=9)
    assert (part.start, part.end, part.lines, part.text, part.next) == (2, 3, 3, "two\nthree", None)


def test_an_excerpt_names_the_line_to_go_on_with():
    text = "x" * 99 + "\n"
    pieces: list[str] = []
    start: int | None = 1
    while start is not None:
        part = excerpt(text * 1_000, "a.txt", start=start)
        assert len(part.text) <= MOST_CHARACTERS
        pieces.append(part.text)
        start = part.next
    assert "\n".join(pieces) + "\n" == text * 1_000


def test_a_line_that_does_not_fit_is_given_alone():
    part = excerpt("a\n" + "x" * 50_000 + "\nb\n", "a.txt", start=2)
    assert (len(part.text), part.next) == (50_000, 3)


@pytest.mark.parametrize(("start", "end"), [(4, None), (3, 2)])
def test_lines_that_are_not_there_are_an_error(start, end):
    with pytest.raises(UsageError, match="has 3 lines"):
        excerpt("a\nb\nc\n", "a.txt", start=start, end=end)


def test_each_line_that_matches_is_found_once_with_its_number():
    assert found("a+", b"a a\nb\n\nxaa\na") == [(1, "a a"), (4, "xaa"), (5, "a")]


def test_a_pattern_stays_within_a_line():
    assert found("^b$", b"a\r\nb\nbb\n") == [(2, "b")]
    assert found(r"a\s+b", b"a\nb") == []
    assert [line for line, _ in found("x*", b"a\n\nb\n")] == [1, 2, 3]


def test_text_is_found_word_for_word_and_in_any_case():
    assert found("A.B(", b"a.b(\naxb(", literal=True, ignore_case=True) == [(1, "a.b(")]
    assert found("straße", "die Straße".encode(), ignore_case=True) == [(1, "die Straße")]


def test_a_long_line_is_cut():
    ((_, text),) = found("x", b"x" * 1_000)
    assert len(text) == LONGEST_LINE + 1


@pytest.mark.parametrize("pattern", ["(", "(?=a)", r"(a)\1", "", "a\nb", "x" * 1_001, "\ud800"])
def test_a_pattern_that_is_not_linear_or_not_one_is_refused(pattern):
    with pytest.raises(InputError, match="pattern"):
        expression(pattern)


def test_no_pattern_runs_away():
    # an engine that tries again takes years for these
    assert found("(a*)*b", b"a" * 100_000) == []
    assert found("(a|aa)+$", b"a" * 100_000 + b"!") == []


def test_a_folder_lists_its_folders_first():
    paths = ["a.py", "docs/x.md", "src/a.py", "src/deep/b.py", "src/deep/c.py"]
    assert [(one.path, one.kind, one.files) for one in listed(paths, ".")] == [
        ("docs", "folder", 1),
        ("src", "folder", 3),
        ("a.py", "file", 1),
    ]
    assert [one.path for one in listed(paths, "src")] == ["src/deep", "src/a.py"]
    assert listed(paths, "sr") == ()
