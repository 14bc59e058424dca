"""Source bytes that are not plain UTF-8, and syntax that is broken."""

import pytest

from pactkeeper.repo.languages.python.adapter import PYTHON
from pactkeeper.repo.languages.python.syntax import SIZE_LIMIT, read_text
from tests.repo.python.snapshots import scan_module


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_line_ends_do_not_move_lines(end):
    found = scan_module(
        end.join(
            ["import a", "", "@slow", "def test_a():", "\tpass", "", "class TestB:", "\tdef test_b(s): pass"]
        ).encode()
    )
    assert [(test.name, test.line, test.name_line, test.end_line) for test in found.tests] == [
        ("test_a", 3, 4, 5),
        ("test_b", 8, 8, 8),
    ]


def test_byte_order_mark_is_no_text():
    assert scan_module(b"\xef\xbb\xbfdef test_a(): pass\n").names == ["test_a"]


def test_form_feeds_do_not_move_lines():
    found = scan_module("def test_a(): pass\n\x0c\nclass TestB:\n    x = 1\n\x0c\n    def test_b(self): pass\n")
    assert [(test.name, test.line) for test in found.tests] == [("test_a", 1), ("test_b", 6)]


def test_declared_encoding_is_read():
    found = scan_module("# -*- coding: latin-1 -*-\ndef test_caf\u00e9():\n    assert '\u00e9'\n".encode("latin-1"))
    assert found.names == ["test_caf\u00e9"]
    assert found.gaps == []


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ("def test_a(): 'é'\n".encode("latin-1"), "the file is not valid utf-8, for which Python refuses it"),
        ("# coding: klingon\ndef test_a(): 'é'\n".encode(), "the file declares the unknown encoding 'klingon'"),
    ],
)
def test_bytes_that_python_refuses_are_a_gap_and_tests_stay(data, reason):
    found = scan_module(data)
    assert found.names == ["test_a"]
    assert reason in found.reasons


def test_file_with_nul_bytes_is_a_gap_and_names_no_test():
    found = scan_module(b"def test_a():\n    assert '\0'\n")
    assert found.ids == []
    assert found.reasons == ["the file contains NUL bytes, for which Python refuses it, and was not parsed"]


def test_huge_file_is_a_gap():
    found = scan_module(b"def test_a(): pass\n" + b"#" * SIZE_LIMIT)
    assert found.ids == []
    assert found.reasons == ["the file is larger than 8 MiB and was not parsed"]


def test_utf_16_is_a_gap():
    assert "UTF-16" in scan_module("def test_a(): pass\n".encode("utf-16")).reasons[0]


def test_encoding_is_declared_in_the_first_two_lines_only():
    assert read_text("\n\n# coding: latin-1\n'é'\n".encode()).reason == ""
    assert read_text("x = 1\n# coding: latin-1\n'é'\n".encode()).source.decode().endswith("'é'\n")


BROKEN = """\
class TestA:
    def test_a(self):
        foo(

    @pytest.mark.slow
    def test_b(self):
        pass

    def test_c(self)
        pass

def test_d():
    pass

async def test_e(:
    pass

class TestF:
    @pytest.fixture
    def test_g(self:
        pass

    @pytest.mark.parametrize("x", [1, 2])
    def test_h(self, x):
        pass
"""


def test_broken_functions_cost_no_other_test():
    found = scan_module(BROKEN)
    assert [(test.id.split("::", 1)[1], test.line, test.end_line) for test in found.tests] == [
        ("TestA::test_a", 2, 3),
        ("TestA::test_b", 5, 7),
        ("TestA::test_c", 9, 10),
        ("test_d", 12, 13),
        ("test_e", 15, 16),
        ("TestF::test_h", 23, 25),
    ]
    assert found["test_h"].cases == 2


def test_broken_functions_are_gaps():
    found = scan_module(BROKEN)
    assert found.reasons[0] == "the syntax of test_a is broken; little is known of it"
    assert [gap.line for gap in found.gaps] == [2, 9, 15, 20]


def test_sound_functions_of_a_broken_file_keep_their_hash():
    sound = scan_module("def test_d():\n    pass\n")["test_d"]
    assert scan_module(BROKEN)["test_d"].body_hash == sound.body_hash


def test_code_in_a_string_of_a_broken_file_is_no_test():
    text = 'def test_a():\n    x = """\ndef test_no(): pass\n"""\n    foo(\n\ndef test_b(): pass\n'
    assert scan_module(text).names == ["test_a", "test_b"]


PRICES = """\
class TestPrice:
    rate = 2

    def test_plain(self):
        assert price(1) == {"a": [1]}

    class TestInner:
        def test_deep(self):
            assert price(3)


def test_last():
    assert price(4)
"""


@pytest.mark.parametrize("row", range(13))
@pytest.mark.parametrize("odd", ["(", "}", '"""', "class TestPrice(:", "= =", "def", "<<<<<<< HEAD"])
def test_a_broken_line_gives_no_test_another_name(odd, row):
    lines = PRICES.splitlines()
    found = scan_module("\n".join([*lines[:row], odd, *lines[row:]]) + "\n")
    named_anew = {"TestPrice::test_deep"} if odd.startswith("class") and row == 7 else set()
    assert set(found.names) <= {"TestPrice::test_plain", "TestPrice::TestInner::test_deep", "test_last"} | named_anew
    assert found.gaps


def test_a_class_whose_head_is_broken_loses_its_own_tests_only():
    found = scan_module(PRICES.replace("class TestPrice:", "class TestPrice"))
    assert found.names == ["test_last"]
    assert "the syntax is broken here" in found.reasons[0]


def test_merge_conflict_is_a_gap_and_both_sides_are_seen():
    text = "<<<<<<< HEAD\ndef test_a(): pass\n=======\ndef test_b(): pass\n>>>>>>> theirs\ndef test_c(): pass\n"
    found = scan_module(text)
    assert found.names == ["test_a", "test_b", "test_c"]
    assert "the syntax is broken here" in found.reasons[0]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\0",
        b"\xff\xfe",
        b"def",
        b"class A(",
        b"@",
        b"def test_a(" * 500,
        b"(" * 20000,
        b"\r\r\r",
        b"if x:\n" * 3,
        b"'''",
    ],
)
def test_no_source_raises(data):
    PYTHON.worth_parsing(data)
    scan_module(data)


@pytest.mark.parametrize(
    "text", ["def test_a(): pass", "from x import *", "test_a = b", "setattr(a, 'b', c)", "class A: 1"]
)
def test_prefilter_lets_pass_whatever_may_declare(text):
    assert PYTHON.worth_parsing(text.encode())


@pytest.mark.parametrize("text", ["", "# nothing\n", '"""A package."""\n'])
def test_prefilter_stops_files_that_bind_nothing(text):
    assert not PYTHON.worth_parsing(text.encode())
