"""Which functions of one module are tests."""

import pytest

from tests.repo.python.snapshots import scan_module


def names(text):
    return scan_module(text).names


def test_function_named_test_is_a_test():
    assert names("def test_a():\n    pass\ndef helper():\n    pass\n") == ["test_a"]


def test_async_function_is_a_test():
    assert names("async def test_a():\n    pass\n") == ["test_a"]


def test_nested_function_is_none():
    assert names("def test_a():\n    def test_b():\n        pass\n") == ["test_a"]


@pytest.mark.parametrize(
    "text",
    [
        '"""\ndef test_a():\n    pass\n"""\n',
        "X = '''\nclass TestA:\n    def test_a(self):\n        pass\n'''\n",
        "# def test_a(): pass\n",
        "x = f'''\ndef test_a(): {1}\n'''\n",
    ],
)
def test_code_in_strings_and_comments_declares_nothing(text):
    assert names(text) == []


def test_methods_of_test_classes_are_tests():
    text = (
        "class TestA:\n    def test_b(self): pass\n    async def test_c(self): pass\n"
        "    @staticmethod\n    def test_d(): pass\n    @classmethod\n    def test_e(cls): pass\n    def f(self): pass\n"
    )
    assert names(text) == ["TestA::test_b", "TestA::test_c", "TestA::test_d", "TestA::test_e"]


def test_class_of_another_name_has_no_tests():
    assert names("class Helper:\n    def test_a(self): pass\n") == []


@pytest.mark.parametrize("name", ["__init__", "__new__"])
def test_class_with_a_constructor_is_not_collected(name):
    assert names(f"class TestA:\n    def {name}(self): pass\n    def test_a(self): pass\n") == []


def test_inherited_constructor_counts():
    text = "class Base:\n    def __init__(self): pass\nclass TestA(Base):\n    def test_a(self): pass\n"
    assert names(text) == []


@pytest.mark.parametrize("decorator", ["@dataclass", "@dataclasses.dataclass(frozen=True)", "@attrs.define"])
def test_generated_constructor_counts(decorator):
    assert names(f"{decorator}\nclass TestA:\n    x: int\n    def test_a(self): pass\n") == []


def test_class_nested_in_a_test_class_is_collected():
    text = "class TestA:\n    class TestB:\n        def test_c(self): pass\n    class Other:\n        def test_d(self): pass\n"
    assert names(text) == ["TestA::TestB::test_c"]


@pytest.mark.parametrize("value", ["False", "None", "0"])
def test_switch_turns_a_class_off(value):
    assert names(f"class TestA:\n    __test__ = {value}\n    def test_a(self): pass\n") == []


def test_switch_turns_a_class_on():
    assert names("class Checks:\n    __test__ = True\n    def test_a(self): pass\n") == ["Checks::test_a"]


def test_switch_from_outside_turns_a_class_off():
    assert names("class TestA:\n    def test_a(self): pass\nTestA.__test__ = False\n") == []


def test_switch_turns_a_function_off():
    assert names("def test_a(): pass\ntest_a.__test__ = False\n") == []


def test_switch_turns_a_method_off_in_the_class_body():
    assert names("class TestA:\n    def test_a(self): pass\n    test_a.__test__ = False\n") == []


def test_switch_turns_a_module_off():
    assert names("__test__ = False\ndef test_a(): pass\n") == []


def test_inherited_switch_counts_until_it_is_set_again():
    text = (
        "class TestA:\n    __test__ = False\n    def test_a(self): pass\nclass TestB(TestA):\n    pass\n"
        "class TestC(TestB):\n    __test__ = True\n"
    )
    assert names(text) == ["TestA::test_a"]
    assert names(text.replace("True", "False")) == []


@pytest.mark.parametrize("decorator", ["nottest", "nose.tools.nottest"])
def test_nose_turns_a_function_off(decorator):
    assert names(f"@{decorator}\ndef test_a(): pass\n") == []


@pytest.mark.parametrize(
    "decorator", ["pytest.fixture", "pytest.fixture(scope='module')", "fixture", "pytest_asyncio.fixture", "made"]
)
def test_fixture_is_no_test(decorator):
    text = f"from pytest import fixture, fixture as made\n@{decorator}\ndef test_client(): pass\n"
    assert names(text) == []


@pytest.mark.parametrize("decorator", ["property", "functools.cached_property", "test_a.setter"])
def test_property_is_no_test(decorator):
    assert names(f"class TestA:\n    @{decorator}\n    def test_a(self): pass\n") == []


@pytest.mark.parametrize(
    "decorator", ["pytest.mark.skip", "unittest.skip('x')", "retry(3)", "unknown", "mock.patch('a.b')"]
)
def test_decorated_function_stays_a_test(decorator):
    found = scan_module(f"@{decorator}\n# why\n@other\ndef test_a(): pass\n")
    assert [(test.line, test.name_line, test.end_line) for test in found.tests] == [(1, 4, 4)]


def test_later_definition_replaces_an_earlier_one():
    found = scan_module("def test_a():\n    assert 1\ndef test_a():\n    assert 2\n")
    assert [(test.id, test.line) for test in found.tests] == [("test_it.py::test_a", 3)]


def test_later_method_replaces_an_earlier_one():
    found = scan_module("class TestA:\n    def test_a(self): pass\n    def test_a(self): pass\n")
    assert [test.line for test in found.tests] == [3]


def test_later_class_replaces_an_earlier_one():
    assert names("class TestA:\n    def test_a(self): pass\nclass TestA:\n    def test_b(self): pass\n") == [
        "TestA::test_b"
    ]


def test_alternatives_of_one_name_are_numbered_in_source_order():
    found = scan_module(
        "if x:\n    def test_a(): pass\nelif y:\n    def test_a(): pass\nelse:\n    def test_a(): pass\n"
    )
    assert [(test.id, test.line) for test in found.tests] == [
        ("test_it.py::test_a", 2),
        ("test_it.py::test_a#2", 4),
        ("test_it.py::test_a#3", 6),
    ]
    assert {test.name for test in found.tests} == {"test_a"}


def test_alternative_classes_are_numbered():
    text = "try:\n    class TestA:\n        def test_a(self): pass\nexcept E:\n    class TestA:\n        def test_a(self): pass\n"
    assert names(text) == ["TestA::test_a", "TestA#2::test_a"]


def test_definition_behind_alternatives_replaces_them_all():
    found = scan_module("if x:\n    def test_a(): pass\nelse:\n    def test_a(): pass\ndef test_a(): pass\n")
    assert [test.line for test in found.tests] == [5]


def test_conditional_definition_may_leave_the_earlier_one():
    found = scan_module("def test_a(): pass\nif x:\n    def test_a(): pass\n")
    assert [test.line for test in found.tests] == [1, 3]


def test_continued_try_replaces_its_body():
    found = scan_module("try:\n    def test_a(): pass\nexcept E:\n    pass\nelse:\n    def test_a(): pass\n")
    assert [test.line for test in found.tests] == [6]


@pytest.mark.parametrize("condition", ["TYPE_CHECKING", "typing.TYPE_CHECKING", "False", "0", "__name__ == '__main__'"])
def test_branch_that_never_runs_declares_nothing(condition):
    assert names(f"if {condition}:\n    def test_a(): pass\nelse:\n    def test_b(): pass\n") == ["test_b"]


def test_branch_that_always_runs_replaces_what_was_before():
    found = scan_module("def test_a(): pass\nif not TYPE_CHECKING:\n    def test_a(): pass\n")
    assert [test.line for test in found.tests] == [3]


@pytest.mark.parametrize("head", ["with open(x):", "for x in y:", "while x:", "match x:\n  case 1:"])
def test_definition_inside_a_statement_is_found(head):
    indent = "    " if "match" in head else "  "
    assert names(f"{head}\n{indent}def test_a(): pass\n") == ["test_a"]


@pytest.mark.parametrize("value", ["None", "5", "'text'", "[1]", "dict(a=1)", "Client()", "pytest.mark.skipif(x)"])
def test_value_named_like_a_test_is_none_and_no_gap(value):
    found = scan_module(f"test_a = {value}\n")
    assert found.ids == []
    assert found.gaps == []


def test_value_hides_the_function_before():
    assert names("def test_a(): pass\ntest_a = None\n") == []


def test_deleted_function_is_none():
    assert names("def test_a(): pass\ndel test_a\n") == []


@pytest.mark.parametrize("statement", ["del TestA.test_a", "TestA.test_a = None", "TestA.test_a = lambda self: None"])
def test_method_that_is_deleted_or_replaced_from_outside_is_none(statement):
    text = "class TestA:\n    def test_a(self): pass\n    def test_b(self): pass\n"
    assert names(f"{text}{statement}\n") == ["TestA::test_b"]
    assert names(f"{text}if slow():\n    {statement}\n") == ["TestA::test_a", "TestA::test_b"]


def test_lambda_is_a_test():
    found = scan_module("test_a = lambda: check(1)\n")
    assert [(test.name, test.line) for test in found.tests] == [("test_a", 1)]


@pytest.mark.parametrize("value", ["check", "functools.partial(check, 1)", "slow(check)"])
def test_test_belongs_to_the_function_behind_its_name(value):
    found = scan_module(f"def check(): pass\ntest_a = {value}\n")
    assert [(test.id, test.line) for test in found.tests] == [("test_it.py::check", 1)]


def test_function_found_by_another_name_has_the_hash_it_would_have_by_its_own():
    body = "(x):\n    # remark\n    assert x  ==  1\n"
    by_alias = scan_module(f"@slow\ndef check{body}test_a = check\n")["check"]
    assert by_alias.body_hash == scan_module(f"@slow\ndef test_check{body}")["test_check"].body_hash


def test_two_names_of_one_function_are_one_test():
    assert names("def test_a(): pass\ntest_b = test_a\n") == ["test_a"]


def test_body_hash_does_not_depend_on_name_or_place():
    found = scan_module("def test_a():\n    assert 1\nclass TestA:\n    def test_b():\n        assert 1\n")
    assert found["test_a"].body_hash == found["test_b"].body_hash


def test_names_outside_ascii_are_composed():
    found = scan_module("def test_caf\u0065\u0301(): pass\n")
    assert found.ids == ["test_it.py::test_caf\u00e9"]


def test_abstract_class_is_not_collected_and_its_implementation_is():
    text = "import abc\nclass TestBase(abc.ABC):\n    @abc.abstractmethod\n    def make(self): ...\n    def test_a(self): pass\n"
    assert names(text) == []
    assert names(text + "class TestA(TestBase):\n    def make(self): return 1\n") == ["TestBase::test_a"]


def test_no_statement_is_nested_too_deeply():
    text = "".join("  " * depth + "if x:\n" for depth in range(300)) + "  " * 300 + "def test_a(): pass\n"
    found = scan_module("def test_b(): pass\n" + text)
    assert found.names == ["test_b"]
    assert any("nested too deeply" in reason for reason in found.reasons)


def test_a_sound_sum_that_is_too_deep_to_be_read_is_not_called_broken():
    text = f"def test_a(): pass\ndef test_b():\n    assert {' + '.join('x' * 30_000)}\n"
    found = scan_module(text)
    assert found.names == ["test_a", "test_b"]
    assert [("syntax tree is over 4,000 levels deep" in one, "broken" in one) for one in found.reasons] == [
        (True, False)
    ]


def test_an_unclosed_character_name_is_not_looked_for_to_the_end_of_the_file_for_ever():
    found = scan_module("def test_a(): pass\n" + "\\N{" * 100_000)
    assert any("the parser takes more than" in one for one in found.reasons)


def test_deeply_nested_expression_is_no_problem():
    found = scan_module("x = " + "(" * 3000 + "1" + ")" * 3000 + "\ndef test_a(): pass\n")
    assert found.names == ["test_a"]
