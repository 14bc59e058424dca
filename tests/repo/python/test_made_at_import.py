"""Tests that only running the code would show: each is a gap with its place."""

import pytest

from tests.repo.python.snapshots import scan, scan_module


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("test_a = make('a')\n", "test_a is made by calling make; whether it is a test cannot be read"),
        ("TestA = make_class()\n", "TestA is made by calling make_class; whether it is a test cannot be read"),
        ("TestA = type('TestA', (), {})\n", "TestA is made by calling type; whether it is a test cannot be read"),
        (
            "setattr(TestA, 'test_x', f)\n",
            "attributes are set by name while the module is imported; tests may be among them",
        ),
        (
            "for n in x:\n    setattr(A, f'test_{n}', f)\n",
            "attributes are set by name while the module is imported; tests may be among them",
        ),
        ("globals()['test_a'] = f\n", "names are added to the module's namespace while it is imported"),
        ("locals()[name] = f\n", "names are added to the module's namespace while it is imported"),
        ("globals().update(made)\n", "names are added to the module's namespace while it is imported"),
        ("exec(template)\n", "code made of text is executed while the module is imported; tests may be in it"),
        ("def load_tests(a, b, c): pass\n", "load_tests decides at run time which tests are loaded"),
    ],
)
def test_making_tests_at_import_is_a_gap(text, reason):
    found = scan_module("import os\n" + text)
    assert found.reasons == [reason]
    assert found.gaps[0].file == "test_it.py"
    assert found.gaps[0].line in {2, 3}


@pytest.mark.parametrize(
    "text",
    [
        "def test_a(m):\n    setattr(x, name, 1)\n    globals()['y'] = 2\n",
        "setattr(module, 'option', 1)\n",
        "globals()['OPTION'] = 1\n",
        "TestRow = namedtuple('TestRow', 'a b')\n",
        "TestClient = starlette.TestClient\n",
    ],
)
def test_what_makes_no_tests_is_no_gap(text):
    assert scan_module(text).gaps == []


def test_classes_made_of_a_class_inherit_its_tests():
    text = "class Builder(Mixin):\n    def test_a(self): pass\nglobals().update(Builder.make_classes())\n"
    found = scan_module(text)
    assert found.names == ["Builder::test_a"]
    assert "names are added to the module's namespace while it is imported" in found.reasons


def test_class_that_is_handed_over_with_the_namespace_is_collected():
    text = "class Base:\n    def test_a(self): pass\nmake_tests(Base, 'x', globals())\n"
    assert scan_module(text).names == ["Base::test_a"]


FILLS = "def fill(group, names):\n    setattr(group, name, check)\ndef keep(group): pass\n"


@pytest.mark.parametrize("group", ["class TestA: pass", "import unittest\nclass Checks(unittest.TestCase): pass"])
def test_class_that_another_file_fills_by_name_is_a_gap(group):
    name = "TestA" if "TestA" in group else "Checks"
    found = scan({"fill.py": FILLS, "test_it.py": f"from fill import fill\n{group}\nfill({name}, tuple(x))\n"})
    assert found.reasons == [f"fill({name}) sets attributes by name at import; tests may be among them"]


@pytest.mark.parametrize("call", ["keep(TestA)", "print(TestA)", "fill(Other, x)", "fill(x, y)"])
def test_call_that_fills_no_test_class_is_no_gap(call):
    other = "" if "keep" not in call else "from keeping import keep\n"
    text = f"from fill import fill\n{other}class Other: pass\nclass TestA:\n    def test_a(self): pass\n{call}\n"
    found = scan({"fill.py": FILLS, "keeping.py": "def keep(group): pass\n", "test_it.py": text})
    assert (found.names, found.reasons) == (["TestA::test_a"], [])


def test_metaclass_of_the_project_is_a_gap():
    text = "class Meta(type): pass\nclass TestA(metaclass=Meta):\n    def test_a(self): pass\n"
    found = scan_module(text)
    assert found.names == ["TestA::test_a"]
    assert found.reasons == ["class TestA has the metaclass Meta, which may make tests"]


@pytest.mark.parametrize(
    ("hook", "reason"),
    [
        ("def pytest_collect_file(file_path, parent): pass", "pytest_collect_file collects files by its own rules"),
        ("pytest_collect_file = Sybil(parsers=[]).pytest()", "pytest_collect_file collects files by its own rules"),
        (
            "def pytest_pycollect_makeitem(c, n, o): pass",
            "pytest_pycollect_makeitem makes tests of names by its own rules",
        ),
        ("def pytest_ignore_collect(p, c): pass", "pytest_ignore_collect ignores files by its own rules"),
    ],
)
def test_collection_hook_of_a_conftest_is_a_gap(hook, reason):
    found = scan({"docs/conftest.py": hook + "\n", "test_a.py": "def test_a(): pass\n"})
    assert [(gap.file, gap.line, gap.reason) for gap in found.gaps] == [("docs/conftest.py", 1, reason)]
