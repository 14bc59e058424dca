"""Assertions in functions that a call is handed count alike: an inner function and a lambda, wherever they stand."""

import pytest

from tests.repo.strength.edits import judged

HELD = ["on=hook", "hook", "{'on': hook}", "on=[hook]", "on={'all': (hook,)}"]
INNER = """
import unittest

class TestIt(unittest.TestCase):
    def test_it(self):
        def hook(one):
            {asserted}
        assert App({handed}).get('/foo').status == 200
"""
INLINE = """
import unittest

class TestIt(unittest.TestCase):
    def test_it(self):
        assert App({handed}).get('/foo').status == 200
"""
EDITS = {
    "None": ["error removed"],
    "self.assertTrue(one.path)": ["error loosened"],
    "self.assertEqual(one.path, '/other')": ["warning expectation"],
}
ASSERTED = "self.assertEqual(one.path, '/foo')"


def inner(handed: str, asserted: str) -> str:
    return INNER.format(handed=handed, asserted=asserted)


def inline(handed: str, asserted: str) -> str:
    return INLINE.format(handed=handed.replace("hook", f"lambda one: {asserted}"))


def said(before: str, after: str) -> list[str]:
    return [f"{one.severity} {one.kind}" for one in judged(before, after)]


@pytest.mark.parametrize("written", [inner, inline])
@pytest.mark.parametrize("after", EDITS)
@pytest.mark.parametrize("handed", HELD)
def test_what_a_handed_function_asserts_is_the_tests_own(handed, after, written):
    assert said(written(handed, ASSERTED), written(handed, after)) == EDITS[after]


@pytest.mark.parametrize("handed", HELD)
def test_a_lambda_that_becomes_a_function_is_silent(handed):
    assert not any("error" in one for one in said(inline(handed, ASSERTED), inner(handed, ASSERTED)))


CLASS = """
def test_it():
    class Hook(Base):
        def on(self, one):
            {}
            return 3

    {}
"""
PLAIN = {
    "None": ["error hollow"],
    "assert one.path": ["error loosened"],
    "assert one.path == '/b'": ["warning expectation"],
}


@pytest.mark.parametrize("after", PLAIN)
@pytest.mark.parametrize("use", ["load(Hook)", "load(on=Hook())", "load({'on': Hook})", "one = Hook()\n    load(one)"])
def test_what_a_method_of_its_own_class_asserts_is_the_tests_own(use, after):
    asserted = CLASS.format("assert one.path == '/a'", use)
    assert said(asserted, CLASS.format(after, use)) == PLAIN[after]
    assert said(CLASS.format("None", use), asserted) == []


@pytest.mark.parametrize("use", ["assert load()", "Hook().on(load())\n    assert load()"])
def test_a_method_asserts_nothing_for_the_test_where_no_call_is_handed_its_class(use):
    assert said(CLASS.format("assert one.path == '/a'", use), CLASS.format("None", use)) == []


CHECKED = """
def check(one, path):
    assert one.path == path


def test_it():
    {}
"""


@pytest.mark.parametrize("handed", ["App(on={}).run()", "hook = {}\n    App(on=hook).run()", "start(0, {{'on': {}}})"])
def test_a_helper_that_a_lambda_calls_asserts_too(handed):
    before, after = (CHECKED.format(handed.format(f"lambda one: {each}")) for each in ("check(one, 'a')", "None"))
    assert any(one.startswith("error") for one in said(before, after))


def test_a_lambda_that_a_test_calls_asserts_of_what_it_is_given():
    called = CHECKED.format("hook = lambda one: check(one, 'a')\n    hook(load(1))\n    hook(load(2))")
    plain = CHECKED.format("check(load(1), 'a')\n    check(load(2), 'a')")
    assert said(called, plain) == said(plain, called) == []
    assert said(called, called.replace("    hook(load(2))", "")) == ["error removed"]


def test_a_lambda_handed_to_a_thread_fails_nothing():
    threaded = CHECKED.format("Thread(target=lambda: check(load(), 'a')).start()\n    assert load()")
    assert said(threaded, threaded.replace("check(load(), 'a')", "None")) == []
