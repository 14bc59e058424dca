"""Which imports one Python file has."""

import pytest

from pactkeeper.repo.languages.adapter import Import
from pactkeeper.repo.languages.python.adapter import PythonImporting
from tests.repo.imported import read_one

IMPORTING = PythonImporting()


def read(source):
    return read_one(IMPORTING, source, "shop/basket.py")


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import a.b, c as d", [Import("a.b", 1), Import("c", 1)]),
        ("from a.b import c, d as e", [Import("a.b", 1, ("c", "d"))]),
        ("from a import (\n    b,\n    c,\n)", [Import("a", 1, ("b", "c"))]),
        ("from . import a", [Import(".", 1, ("a",))]),
        ("from  .. .a import b", [Import("...a", 1, ("b",))]),
        ("from a import *", [Import("a", 1, ("*",))]),
        ("from __future__ import annotations", []),
    ],
)
def test_statement_names_these_modules(source, expected):
    assert list(read(source).found) == expected


def test_imports_count_wherever_they_stand():
    source = """
        try:
            import fast
        except ImportError:
            import slow


        class Basket:
            import inner

            async def total(self):
                if self:
                    from late import total
        """
    assert [one.module for one in read(source).found] == ["fast", "slow", "inner", "late"]


@pytest.mark.parametrize("condition", ["TYPE_CHECKING", "typing.TYPE_CHECKING", "(TYPE_CHECKING)", "False"])
def test_import_that_only_a_type_checker_sees_is_marked(condition):
    found = read(f"if {condition}:\n    import a\nelse:\n    import b\nimport c\n").found
    assert [(one.module, one.only_types) for one in found] == [("a", True), ("b", False), ("c", False)]


@pytest.mark.parametrize(
    ("call", "module"),
    [
        ('importlib.import_module("a.b")', "a.b"),
        ('import_module(".b", __package__)', ".b"),
        ('import_module(".b", package="a")', "a.b"),
        ('import_module(name="a")', "a"),
        ('__import__("a")', "a"),
        ('pytest_plugins = ["a"]', "a"),
        ('pytest_plugins = "a"', "a"),
    ],
)
def test_module_that_a_call_names_literally_is_an_import(call, module):
    assert read(call).found == (Import(module, 1),)


@pytest.mark.parametrize(
    "call",
    [
        "import_module(name)",
        'import_module(".b")',
        'import_module("." + name, __package__)',
        "__import__(x)",
        "pytest_plugins = [x]",
    ],
)
def test_module_that_is_computed_is_counted_by_its_line(call):
    found = read(f"\n{call}\n")
    assert (found.found, found.computed) == ((), (2,))


def test_text_that_looks_like_an_import_is_none():
    assert read('"""\nimport a\n"""\n# import b\nx = "import c"\n').found == ()


def test_broken_file_keeps_its_imports_and_says_that_some_may_be_missing():
    found = read("import a\n\ndef total(:\n    import b\n")
    assert [one.module for one in found.found] == ["a", "b"]
    assert found.problems == ((3, "the syntax is broken here; imports nearby may be missing"),)


def test_file_in_another_encoding_is_read():
    assert read("# coding: latin-1\nimport a  # é\n".encode("latin-1")).found == (Import("a", 2),)


@pytest.mark.parametrize(
    ("source", "worth"), [(b"x = 1\n", False), (b"", False), (b"import a", True), (b"pytest_plugins = 'a'", True)]
)
def test_file_without_any_such_word_is_not_parsed(source, worth):
    assert IMPORTING.worth_parsing(source) is worth


def test_comments_between_imports_leave_their_lines_as_they_are():
    found = read("import a\n# one\n    # two\nimport b  # three\n")
    assert [(one.module, one.line) for one in found.found] == [("a", 1), ("b", 4)]


@pytest.mark.parametrize("text", ['x = """\n# the end"""\nimport a\n', "x = 'one \\\n# two \\\n'\nimport a\n"])
def test_line_that_only_looks_like_a_comment_stays_a_part_of_its_string(text):
    found = read(text)
    assert [one.module for one in found.found] == ["a"]
    assert found.problems == ()
