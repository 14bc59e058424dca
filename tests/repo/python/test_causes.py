"""One small repository for every cause that once kept tests out of sight, with what is seen of it now."""

import pytest

from pactkeeper.repo.languages.adapter import Added
from tests.repo.python.snapshots import scan

BODY = "class {name}({base}):\n    def test_one(self):\n        assert True\n"
HOOK = "def pytest_pycollect_makeitem(collector, name, obj):\n    return None\n"
SEEN: dict[str, dict[str, str | bytes]] = {
    "hook in a conftest": {"conftest.py": HOOK, "test_a.py": BODY.format(name="ThingTest", base="")},
    "hook in a plugin of the repository": {
        "lib/kit/plugin.py": HOOK,
        "test_a.py": BODY.format(name="ThingTest", base=""),
    },
    "mixin that only a test class inherits": {
        "base.py": BODY.format(name="Shared", base=""),
        "test_a.py": "from base import Shared\nclass TestA(Shared):\n    pass\n",
    },
    "base class in a usual source folder": {
        "lib/kit/fixtures.py": "import unittest\nclass Base(unittest.TestCase):\n    pass\n",
        "test_a.py": "from kit.fixtures import Base\n" + BODY.format(name="Thing", base="Base"),
    },
    "base class of a library for tests": {
        "kit/fixtures.py": "from lab.testing.fixtures import TestBase as Outer\nclass Base(Outer):\n    pass\n",
        "test_a.py": "from kit.fixtures import Base\n" + BODY.format(name="ThingTest", base="Base"),
    },
    "base of a class that a call makes": {
        "base.py": "import unittest\n" + BODY.format(name="Shared", base="unittest.TestCase"),
        "test_a.py": "from base import Shared\nThing = type('Thing', (Shared,), {})\n",
    },
    "encoding that a comment declares": {
        "test_a.py": "# -*- coding: latin-1 -*-\n# caf\xe9\ndef test_one():\n    pass\n".encode("latin-1")
    },
}
NAMED: dict[str, tuple[dict[str, str | bytes], str]] = {
    "class whose name matches no pattern": (
        {"test_a.py": BODY.format(name="ThingSpec", base="")},
        "matches no pattern of python_classes (Test)",
    ),
    "class with a constructor": (
        {"test_a.py": "class TestA:\n    def __init__(self): pass\n    def test_one(self): pass\n"},
        "has a constructor",
    ),
    "functions that the settings switch off": (
        {"pytest.ini": "[pytest]\npython_functions =\n", "test_a.py": "def test_one():\n    pass\n"},
        "no runner collects any here",
    ),
    "file that unittest alone collects": ({"tests.py": "def test_one():\n    pass\n"}, "no runner collects any here"),
    "class that a call makes of a TestCase": (
        {"test_a.py": "from unittest import TestCase\nThing = type('Thing', (TestCase,), made())\n"},
        "Thing is made by calling type",
    ),
    "method that a call makes": (
        {
            "test_a.py": "from unittest import TestCase\nclass Things(TestCase):\n    test_one = build(check, 1)\n"
            "    def test_two(self): pass\n"
        },
        "test_one is made by calling build",
    ),
    "hook in a module that an option names": (
        {
            "pytest.ini": "[pytest]\naddopts = -p kit.plugin\n",
            "kit/plugin.py": "def pytest_collect_file(file_path, parent):\n    return None\n",
        },
        "pytest_collect_file collects files by its own rules",
    ),
    "tests that an imported function declares": (
        {"test_a.py": "from pytest_bdd import scenarios\nscenarios('shop.feature')\n"},
        "no test in it is read",
    ),
    "tests inherited from nowhere to be seen": (
        {"test_a.py": "from lab import suite\nclass TestThing(suite.Things):\n    pass\n"},
        "no test in it is read",
    ),
    "metaclass that may make tests": (
        {"test_a.py": "class Meta(type): pass\nclass TestA(metaclass=Meta):\n    def test_one(self): pass\n"},
        "has the metaclass Meta",
    ),
    "tests made at import": ({"test_a.py": "globals()['test_' + NAME] = make()\n"}, "added to the module's namespace"),
    "classes that a function puts into a module": (
        {
            "pytest.ini": "[pytest]\npython_files = __main__.py\n",
            "tests/__init__.py": "",
            "tests/__main__.py": "from .cases import *\n",
            "tests/cases.py": "import unittest\n\n"
            "class TestOne(unittest.TestCase):\n    def test_one(self): pass\n\n"
            "def make(name):\n    class Made(unittest.TestCase):\n        def test_two(self): pass\n"
            "    globals()[name] = Made\n\nmake('TestTwo')\n",
        },
        "added to the module's namespace",
    ),
    "names that only a plugin knows": (
        {"test_a.py": "class Thing_:\n    def does_one_thing(self):\n        assert True\n"},
        "1 function asserts, and no runner collects any here",
    ),
    "tests that a decorator gives a class": (
        {
            "test_a.py": "def filled(cls):\n    cls.test_one = lambda self: None\n    return cls\n@filled\nclass TestA: pass\n"
        },
        "class TestA has no test of its own, and filled may make some",
    ),
    "tests that a base class gives its subclasses": (
        {
            "test_a.py": "class Base:\n    def __init_subclass__(cls):\n        cls.test_one = lambda self: None\n"
            "class TestA(Base): pass\n"
        },
        "class TestA has no test of its own, and __init_subclass__ may make some",
    ),
    "hook of a conftest": ({"conftest.py": HOOK, "test_a.py": "def test_one(): pass\n"}, "makes tests of names"),
    "NUL bytes": ({"test_a.py": b"def test_one():\n    pass\n\0"}, "NUL bytes"),
    "unknown encoding that nothing needs": (
        {"test_a.py": b"# coding: nonsense\ndef test_one(): pass\n"},
        "unknown encoding",
    ),
    "unknown encoding": ({"test_a.py": b"# coding: nonsense\n# \xe9\ndef test_one(): pass\n"}, "unknown encoding"),
}
LEFT_OUT = {
    "name of the file": (
        {"checks.py": "def test_one():\n    pass\n", "tests/helper.py": "def test_two(): pass\n"},
        "tests/helper.py",
    ),
    "outside of testpaths": (
        {
            "pytest.ini": "[pytest]\ntestpaths = unit\n",
            "unit/test_a.py": "def test_a(): pass\n",
            "more/test_b.py": "def test_b(): pass\n",
        },
        "more/test_b.py",
    ),
    "folder that is not entered": ({"build/test_a.py": "def test_a(): pass\n"}, "build/test_a.py"),
    "ignored by a conftest": (
        {"conftest.py": "collect_ignore = ['test_a.py']\n", "test_a.py": "def test_a(): pass\n"},
        "test_a.py",
    ),
}


@pytest.mark.parametrize("cause", SEEN)
def test_a_rule_sees_the_test(cause):
    assert [test.name for test in scan(SEEN[cause]).tests] in (["test_one"], ["test_one", "test_one"])


@pytest.mark.parametrize("cause", NAMED)
def test_what_cannot_be_seen_is_named(cause):
    files, reason = NAMED[cause]
    assert any(reason in said for said in scan(files).reasons)


@pytest.mark.parametrize("name", ["conftest.py", "test_kit.py"])
def test_helpers_that_assert_are_no_gap(name):
    files = {
        name: "def check():\n    assert True\n",
        "test_a.py": "from test_kit import check\ndef test_one(): check()\n",
    }
    assert scan(files).reasons == []


@pytest.mark.parametrize("source", ["LIMIT = 10\n", "ROW = row('a b')\n", "from lab import thing\n"])
def test_a_collected_module_that_only_holds_values_is_no_gap(source):
    assert scan({"test_a.py": source}).reasons == []


@pytest.mark.parametrize("cause", LEFT_OUT)
def test_a_file_that_looks_like_tests_is_glimpsed_until_it_is_included(cause):
    files, path = LEFT_OUT[cause]
    assert scan(files).source.glimpses[path].count == 1
    assert path in {test.file for test in scan(files, Added(include=(path,))).tests}


@pytest.mark.parametrize(
    ("added", "source"),
    [
        (Added(classes=("*Spec",)), BODY.format(name="ThingSpec", base="")),
        (Added(functions=("should_",)), "def should_hold():\n    assert True\n"),
    ],
)
def test_the_pact_adds_names_that_make_tests(added, source):
    assert scan({"test_a.py": source}).tests == []
    assert len(scan({"test_a.py": source}, added).tests) == 1
