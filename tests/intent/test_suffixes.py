"""What paths of other machines mean here."""

import pytest

from pactkeeper.intent.suffixes import match_suffixes, parts_of, place

FILES = ("tests/a.py", "packages/x/tests/a.py", "packages/x/tests/b.py", "src/c.py", "setup.py", "packages/x/setup.py")
ROOT = "/home/ada/shop"


def placed(*paths, files=FILES):
    return place(paths, files, root=ROOT)


@pytest.mark.parametrize(
    ("path", "file"),
    [
        ("src/c.py", "src/c.py"),
        ("./src/c.py", "src/c.py"),
        ("lib/../src/c.py", "src/c.py"),
        (f"{ROOT}/tests/a.py", "tests/a.py"),
        ("/builds/team/shop/src/c.py", "src/c.py"),
        ("file:///builds/team/shop/src/c.py", "src/c.py"),
        ("C:\\work\\shop\\src\\c.py", "src/c.py"),
        ("src\\c.py", "src/c.py"),
        ("c.py", "src/c.py"),
        ("tests/b.py", "packages/x/tests/b.py"),
    ],
)
def test_path_of_anywhere_means_the_file_that_its_end_names(path, file):
    assert placed(path).files == {path: file}


def test_path_that_several_files_end_with_is_ambiguous():
    assert placed("a.py").ambiguous == ("a.py",)


def test_path_that_equals_a_file_means_it_where_nothing_else_is_known():
    assert placed("tests/a.py").files == {"tests/a.py": "tests/a.py"}


def test_other_paths_of_the_report_settle_an_ambiguous_one():
    assert placed("tests/a.py", "tests/b.py").files["tests/a.py"] == "packages/x/tests/a.py"


def test_other_paths_that_contradict_each_other_settle_nothing():
    files = ("x/src/i.py", "y/src/i.py", "x/src/a.py", "y/src/b.py")
    assert placed("src/i.py", "src/a.py", "src/b.py", files=files).ambiguous == ("src/i.py",)


def test_file_of_a_dependency_is_not_taken_for_one_of_ours():
    found = placed("/builds/p/src/c.py", "/builds/p/packages/x/tests/b.py", "/usr/lib/requests/setup.py", "/opt/z/c.py")
    assert "/opt/z/c.py" in found.unknown
    assert "/usr/lib/requests/setup.py" not in found.files


def test_one_path_alone_does_not_say_what_a_container_calls_a_subfolder():
    assert placed("/app/tests/b.py").unknown == ("/app/tests/b.py",)


def test_two_paths_say_what_a_container_calls_a_subfolder():
    files = ("packages/x/tests/a.py", "packages/x/tests/b.py")
    assert set(placed("/app/tests/a.py", "/app/tests/b.py", files=files).files.values()) == set(files)


def test_unknown_path_is_listed():
    assert placed("src/gone.py").unknown == ("src/gone.py",)


def test_too_short_an_end_means_nothing():
    found = match_suffixes([("TestX", "test_a")], [("tests", "a", "test_a")], least=2)
    assert found.unknown == {("TestX", "test_a")}


def test_every_name_comes_out_once():
    names = [("a.py",), ("tests", "a.py"), ("src", "c.py"), ("zzz",)]
    found = match_suffixes(names, [tuple(file.split("/")) for file in FILES])
    assert sorted([*found.found, *found.ambiguous, *found.unknown]) == sorted(names)


@pytest.mark.parametrize(("path", "parts"), [("/a//b/./c", ("a", "b", "c")), ("../a", ("a",)), ("", ())])
def test_path_is_parted_without_what_says_nothing(path, parts):
    assert parts_of(path, ROOT) == parts
