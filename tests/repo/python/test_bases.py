"""Tests that classes inherit, from this file and from others."""

import pytest

from tests.repo.python.snapshots import scan, scan_module

CASE = "from unittest import TestCase\n"


def test_testcase_is_collected_whatever_its_name():
    found = scan_module(CASE + "class Login(TestCase):\n    def test_a(self): pass\n    def testB(self): pass\n")
    assert found.names == ["Login::test_a", "Login::testB"]
    assert {test.framework for test in found.tests} == {"unittest"}


@pytest.mark.parametrize(
    ("head", "base"),
    [
        ("import unittest", "unittest.TestCase"),
        ("import unittest as u", "u.IsolatedAsyncioTestCase"),
        ("from unittest import TestCase as Case", "Case"),
        ("from django.test import SimpleTestCase", "SimpleTestCase"),
        ("from rest_framework.test import APITestCase", "APITestCase"),
        ("from twisted.trial import unittest", "unittest.SynchronousTestCase"),
        ("import unittest\nCase = unittest.TestCase", "Case"),
        ("import unittest\nclass Case(unittest.TestCase): pass", "Case"),
        ("try:\n    from unittest import TestCase\nexcept ImportError:\n    TestCase = None", "TestCase"),
        ("import six, unittest", "six.with_metaclass(Meta, unittest.TestCase)"),
        ("import unittest\nclass Mixin: pass", "Mixin, unittest.TestCase"),
        ("import unittest\nfrom typing import Generic", "unittest.TestCase, Generic[T]"),
    ],
)
def test_testcase_is_reached_however_it_is_named(head, base):
    assert scan_module(f"{head}\nclass Login({base}):\n    def test_a(self): pass\n").names == ["Login::test_a"]


def test_testcase_with_a_constructor_is_collected():
    text = CASE + "class A(TestCase):\n    def __init__(self, *a): pass\n    def test_a(self): pass\n"
    assert scan_module(text).names == ["A::test_a"]


def test_run_test_counts_where_there_is_no_other():
    text = CASE + "class A(TestCase):\n    def runTest(self): pass\n"
    assert scan_module(text).names == ["A::runTest"]
    assert scan_module(text + "    def test_a(self): pass\n").names == ["A::test_a"]


def test_settings_of_pytest_do_not_rename_methods_of_a_testcase():
    files = {
        "pytest.ini": "[pytest]\npython_functions = check_*\n",
        "test_it.py": CASE + "class A(TestCase):\n    def test_a(self): pass\n    def check_b(self): pass\n",
    }
    assert scan(files).names == ["A::test_a"]


def test_class_nested_in_a_testcase_is_not_collected():
    text = CASE + "class A(TestCase):\n    class TestB:\n        def test_b(self): pass\n    def test_a(self): pass\n"
    assert scan_module(text).names == ["A::test_a"]


def test_mixin_has_the_tests_that_a_collected_class_inherits():
    text = (
        CASE
        + "class Mixin:\n    def test_a(self): pass\nclass A(Mixin, TestCase): pass\nclass B(Mixin, TestCase): pass\n"
    )
    assert scan_module(text).names == ["Mixin::test_a"]


def test_mixin_that_nobody_collected_inherits_has_no_tests():
    assert scan_module("class Mixin:\n    def test_a(self): pass\nclass Helper(Mixin): pass\n").names == []


def test_override_hides_the_inherited_test():
    text = "class Base:\n    def test_a(self): pass\nclass TestA(Base):\n    def test_a(self): pass\n"
    assert scan_module(text).names == ["TestA::test_a"]


def test_value_hides_the_inherited_test():
    assert scan_module("class Base:\n    def test_a(self): pass\nclass TestA(Base):\n    test_a = None\n").names == []


def test_nearest_base_in_the_order_of_lookup_wins():
    text = (
        "class Root:\n    def test_a(self): pass\nclass Left(Root): pass\n"
        "class Right(Root):\n    def test_a(self): pass\nclass TestA(Left, Right): pass\n"
    )
    assert scan_module(text).names == ["Right::test_a"]


def test_class_may_take_the_name_of_its_imported_base():
    files = {
        "base.py": "class TestLogin:\n    def test_a(self): pass\n",
        "test_it.py": "from base import TestLogin\nclass TestLogin(TestLogin):\n    def test_b(self): pass\n",
    }
    assert scan(files).ids == ["base.py::TestLogin::test_a", "test_it.py::TestLogin::test_b"]


@pytest.mark.parametrize(
    ("importing", "base"),
    [
        ("from app.testing import Case", "Case"),
        ("from app.testing import Case as Renamed", "Renamed"),
        ("import app.testing", "app.testing.Case"),
        ("import app.testing as t", "t.Case"),
        ("from app import testing", "testing.Case"),
        ("from app import Case", "Case"),
        ("from app import *", "Case"),
        ("from ..testing import Case", "Case"),
        ("from .. import testing", "testing.Case"),
        ("from .. import Case", "Case"),
        ("from . import Case", "Case"),
    ],
)
def test_base_is_found_in_another_file(importing, base):
    files = {
        "src/app/__init__.py": "from .testing import Case\n",
        "src/app/testing.py": "import unittest\nclass Case(unittest.TestCase):\n    def test_base(self): pass\n",
        "src/app/tests/__init__.py": "from app.testing import Case\n",
        "src/app/tests/test_it.py": f"{importing}\nclass A({base}):\n    def test_a(self): pass\n",
    }
    assert scan(files).ids == ["src/app/testing.py::Case::test_base", "src/app/tests/test_it.py::A::test_a"]


def test_namespace_package_is_followed():
    files = {
        "tests/support/cases.py": "import unittest\nclass Case(unittest.TestCase): pass\n",
        "tests/test_it.py": "from support.cases import Case\nclass A(Case):\n    def test_a(self): pass\n",
    }
    assert scan(files).names == ["A::test_a"]


def test_folder_named_like_a_standard_module_does_not_hide_it():
    files = {
        "tests/unittest/__init__.py": "",
        "tests/test_it.py": "import unittest\nclass A(unittest.TestCase):\n    def test_a(self): pass\n",
    }
    assert scan(files).names == ["A::test_a"]


def test_imported_function_belongs_to_its_file():
    files = {
        "contract.py": "def test_a(): pass\ndef test_b(): pass\n",
        "test_it.py": "from contract import test_a\nfrom contract import test_b as helper\n",
    }
    assert scan(files).ids == ["contract.py::test_a"]


def test_imported_testcase_is_collected_where_it_is_imported():
    files = {
        "suites/cases.py": "import unittest\nclass Login(unittest.TestCase):\n    def test_a(self): pass\n",
        "tests/test_it.py": "from suites.cases import Login\n",
        "pytest.ini": "[pytest]\ntestpaths = tests\n",
    }
    assert scan(files).ids == ["suites/cases.py::Login::test_a"]


def test_star_import_takes_tests_along():
    files = {
        "shared_tests.py": "import unittest\nclass Login(unittest.TestCase):\n    def test_a(self): pass\ndef _test_b(): pass\n",
        "test_it.py": "from shared_tests import *\n",
    }
    assert scan(files).ids == ["shared_tests.py::Login::test_a"]


def test_imported_tests_may_be_switched_off():
    files = {
        "pytest.ini": "[pytest]\ncollect_imported_tests = false\n",
        "contract.py": "def test_a(): pass\n",
        "test_it.py": "from contract import test_a\ndef test_b(): pass\n",
    }
    assert scan(files).ids == ["test_it.py::test_b"]


def test_source_of_the_project_is_not_parsed_for_names_that_cannot_be_tests():
    found = scan(
        {
            "src/shop/__init__.py": "from .basket import Basket\n",
            "src/shop/basket.py": "class Basket: pass\n",
            "tests/test_it.py": "import shop\nfrom shop import Basket\ndef test_a(): pass\n",
        }
    )
    assert found.names == ["test_a"]
    assert found.source.demanded == []


def test_circular_imports_and_bases_end():
    files = {
        "a_test.py": "from b_test import *\nfrom b_test import B\nclass A(B):\n    def test_a(self): pass\n",
        "b_test.py": "from a_test import *\nfrom a_test import A\nclass B(A): pass\nclass TestC(TestC): pass\nx = x\n",
    }
    assert scan(files).ids == []


def test_endless_inheritance_ends():
    text = "class C0: pass\n" + "".join(f"class C{n}(C{n - 1}): pass\n" for n in range(1, 1500))
    assert scan_module(text + "class TestA(C1499):\n    def test_a(self): pass\n").names == ["TestA::test_a"]


def test_unseen_base_named_testcase_is_one():
    assert scan_module("from lab import LabTestCase\nclass A(LabTestCase):\n    def test_a(self): pass\n").names == [
        "A::test_a"
    ]


def test_unseen_base_of_a_class_with_tests_is_a_gap():
    found = scan_module("from lab import Experiment\nclass A(Experiment):\n    def test_a(self): pass\n")
    assert found.names == []
    assert found.reasons == ["class A derives from lab.Experiment, which cannot be seen; it may be a test class"]


def test_unseen_base_of_a_class_without_tests_is_no_gap():
    assert scan_module("from lab import Experiment\nclass A(Experiment):\n    def run(self): pass\n").gaps == []


def test_base_out_of_somebody_elses_tests_makes_a_testcase():
    found = scan_module("from lab.tests import test_queue as t\nclass A(t.QueueTest):\n    def test_a(self): pass\n")
    assert found.names == ["A::test_a"]
    assert found.reasons == [
        "class A derives from lab.tests.test_queue.QueueTest, which cannot be seen; it is taken for a TestCase"
    ]


def test_pytest_class_with_an_unseen_base_is_collected():
    assert scan_module("from lab import Experiment\nclass TestA(Experiment):\n    def test_a(self): pass\n").names == [
        "TestA::test_a"
    ]
