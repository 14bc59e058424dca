import pytest

from pactkeeper.errors import InputError
from pactkeeper.intent.patterns import matcher, path_filter

MATCHING = {
    "*.py": ["a.py", "deep/er/a.py"],
    "test_*": ["test_a.py", "deep/test_folder/x.py"],
    "tests": ["tests/a.py", "deep/tests/a.py"],
    "tests/": ["tests/a.py", "deep/tests/a.py"],
    "/tests": ["tests/a.py"],
    "tests/*.py": ["tests/a.py"],
    "tests/**/*.py": ["tests/a.py", "tests/b/c/a.py"],
    "**/unit/**": ["unit/a.py", "deep/unit/b/a.py"],
    "src/**": ["src/a.py", "src/b/c"],
    "a?c.py": ["abc.py"],
    "[ab].py": ["a.py", "b.py"],
    "[!a].py": ["b.py"],
    "[a&&b||c~~d].py": ["&.py", "|.py", "~.py", "d.py"],
    "[--x].py": ["-.py", "x.py"],
    "*.{ts,tsx}": ["a.ts", "b/a.tsx"],
    "{unit,e2e}/*.{test,spec}.ts": ["unit/a.test.ts", "e2e/b.spec.ts"],
    "a+b(c)|d.py": ["a+b(c)|d.py"],
    ".": ["anything/at.all"],
    "odd\nname.py": ["odd\nname.py"],
    "broken{.py": ["broken{.py"],
    "broken[.py": ["broken[.py"],
}
OTHERS = {
    "*.py": ["a.pyc", "a.py.txt"],
    "/tests": ["deep/tests/a.py", "tests2/a.py"],
    "tests/*.py": ["tests/b/a.py", "deep/tests/a.py"],
    "tests": ["tests2/a.py", "mytests/a.py"],
    "a?c.py": ["a/c.py", "abbc.py"],
    "[!a].py": ["a.py"],
    "*.{ts,tsx}": ["a.js"],
    "a.c": ["abc"],
}


@pytest.mark.parametrize("pattern", MATCHING)
def test_a_pattern_matches(pattern):
    matches = matcher([pattern])
    assert [path for path in MATCHING[pattern] if not matches(path)] == []


@pytest.mark.parametrize("pattern", OTHERS)
def test_a_pattern_does_not_match(pattern):
    matches = matcher([pattern])
    assert [path for path in OTHERS[pattern] if matches(path)] == []


def test_one_of_several_patterns_is_enough():
    matches = matcher(["a.py", "b.py"])
    assert [matches(path) for path in ("a.py", "b.py", "c.py")] == [True, True, False]


def test_no_pattern_matches_nothing():
    assert not matcher([])("a.py")


def test_a_typed_path_means_itself_and_what_is_below_it():
    wanted = path_filter(["tests/unit", "a.py"])
    assert [wanted(path) for path in ("tests/unit/x.py", "a.py")] == [True, True]
    assert [wanted(path) for path in ("tests/unit2/x.py", "deep/a.py", "deep/tests/unit/x.py")] == [False, False, False]


def test_a_typed_folder_whose_name_looks_like_a_pattern_is_found():
    wanted = path_filter(["app/[id]"])
    assert wanted("app/[id]/page.test.ts")


def test_a_typed_pattern_is_a_pattern():
    wanted = path_filter(["tests/*/test_a.py"])
    assert [wanted(path) for path in ("tests/x/test_a.py", "tests/test_a.py")] == [True, False]


def test_a_dot_among_typed_paths_means_everything():
    assert path_filter(["tests", "."])("src/a.py")


def test_however_many_stars_a_pattern_has_it_is_tried_in_the_square_of_a_path_at_most():
    matches = matcher(["**/*a" * 30 + "!", "*a" * 60 + "b", "**/a/" * 20 + "b", "{a,b}" * 8])
    assert not matches("a" * 4000)
    assert not matches("a/" * 2000 + "c")
    assert matches("b" * 8)


def test_a_pattern_of_too_many_choices_or_characters_is_refused():
    with pytest.raises(InputError, match="more than 256 choices"):
        matcher(["{a,b}" * 9])
    with pytest.raises(InputError, match="up to 1,000 are read"):
        matcher(["a" * 2000])
