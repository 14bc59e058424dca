"""Assertions in functions that a call is handed count alike wherever they stand in its arguments, and by name."""

import pytest

from tests.repo.javascript.project import JEST, NODE, VITEST
from tests.repo.javascript.strength_cases import became, between, body, loudest

ASSERTED = "expect(one.path).toBe('/foo');"
ALONE = [
    "load((one) => { %s });",
    "const handler = (one) => { %s };\nload({ handler });",
    "load({ handler(one) { %s return 1; } });",
    "load({ handler: (one) => { %s } });",
    "await load('a', { async handler(one) { %s } });",
    "load({ handler: function (one) { %s } });",
    "load({ handlers: [(one) => { %s }] });",
    "load({ on: { handler(one) { %s }, other: (one) => 3 } });",
    "load({ ...cart, ...{ handler(one) { %s } } });",
    "return load({ handler(one) { %s } });",
    "load({ handler: vi.fn((one) => { %s }) });",
    "load([1, (_, one) => { %s }]);",
]
CLASSES = [
    "class Part extends Base { stop(one) { %s end(); } }\nload(<Part />);",
    "class Part extends Base { stop = (one) => { %s end(); } }\nload(<Part a={2} />, 2);",
    "class Part { stop(one) { %s end(); } render() { return 1; } }\nload({ part: Part });",
    "class Part { stop(one) { %s end(); } }\nload(new Part());",
    "class Part { stop(one) { %s end(); } }\nconst part = new Part();\nload(part);",
    "load(class extends Base { stop(one) { %s end(); } });",
    "load({ part: class { stop = (one) => { %s end(); } } });",
]
BESIDE = [
    "const shop = new Shop({ handler(one) { %s } });\nexpect(shop.get('/a').status).toBe(200);",
    "const shop = new Shop((one) => { %s });\nexpect(shop.get('/a').status).toBe(200);",
    "expect(load({ handler: (one) => { if (one) { %s } } })).toBe(2);",
    "expect(load({ handler: vi.fn((one) => { %s return 1; }) })).toBe(2);",
]
EDITS = {
    "": "error",
    "expect(one.path).toBeTruthy();": "error loosened",
    "expect(one.path).toBe('/other');": "warning expectation",
    f"try {{ {ASSERTED} }} catch {{}}": "error",
}


@pytest.mark.parametrize("runner", [VITEST, JEST], ids=["vitest", "jest"])
@pytest.mark.parametrize("after", EDITS, ids=["gone", "loosened", "other", "caught"])
@pytest.mark.parametrize("handed", ALONE + BESIDE)
def test_what_a_handed_function_asserts_is_the_tests_own(handed, after, runner):
    assert became(body(handed % ASSERTED), body(handed % after), runner=runner).startswith(EDITS[after])


@pytest.mark.parametrize("planned", ["", "t.plan(2);"])
@pytest.mark.parametrize(
    "handed", ["load({ handler(one) { %s } });", "const handler = (one) => { %s };\nload({ handler });"]
)
def test_a_lower_plan_does_not_excuse_it(handed, planned):
    head = "import test from 'node:test';\nimport { load } from '../src/shop';\n"
    whole = head + "test('works', async (t) => {\n%s\n%s\nt.assert.equal(load(2), 2);\n});\n"
    before = whole % (planned, handed % "t.assert.equal(one.path, '/foo');")
    assert became(before, before, runner=NODE) == "silent"
    assert became(before, whole % (planned.replace("2", "1"), handed % ""), runner=NODE) == "error removed"


@pytest.mark.parametrize("after", EDITS, ids=["gone", "loosened", "other", "caught"])
@pytest.mark.parametrize("declared", CLASSES)
def test_so_is_what_a_method_of_its_own_class_asserts(declared, after):
    written = [{**VITEST, "test/a.test.tsx": body(declared % one)} for one in (ASSERTED, after)]
    assert loudest(between(*written)).startswith(EDITS[after])
    assert loudest(between(*reversed(written))) == "silent" or after


@pytest.mark.parametrize("used", ["", "new Part().check(load(1));"])
def test_a_method_asserts_nothing_for_the_test_where_no_call_is_handed_its_class(used):
    declared = "class Part { check(one) { %s } }\n" + used + "\nexpect(load(2)).toBe(2);"
    assert became(body(declared % ASSERTED), body(declared % "")) == "silent"


@pytest.mark.parametrize("handed", ALONE[2:])
def test_an_assertion_more_in_a_handed_function_is_silent(handed):
    assert became(body(handed % ""), body(handed % ASSERTED)) == "silent"


@pytest.mark.parametrize("handed", ALONE[2:])
def test_a_handed_function_that_gets_a_name_loses_nothing(handed):
    assert not became(body(handed % ASSERTED), body(ALONE[1] % ASSERTED)).startswith("error")


def test_what_only_a_module_mock_does_is_no_assertion_of_the_test():
    mocked = "vi.mock('../src/shop', () => ({{ load: (one) => {{ {} }} }}));\n"
    test = "expect(price(2)).toBe(4);"
    asserting = body(test, before=mocked.format(ASSERTED))
    assert not became(asserting, body(test, before=mocked.format(""))).startswith("error")


SPY = "(make) => (...given) => ({ ...make(...given), send: vi.fn(make(...given).send) })"
USED = (
    "const store = load(3, spy);\nstore.send(4);\nexpect(store.send).toBeCalledWith(4);\nexpect(store.get()).toBe(1);"
)


@pytest.mark.parametrize("factory", ["const spying = () => {};\n", "function spying() {{\n  return {};\n}}\n"])
def test_a_function_of_the_test_that_a_factory_makes_now_is_no_new_fake(factory):
    before = body(f"const spy = {SPY};\n{USED}")
    assert became(before, body(f"const spy = spying();\n{USED}", before=factory.format(SPY))) == "silent"


@pytest.mark.parametrize("given", ["price", "fetch", "Math"])
def test_a_fake_in_place_of_what_is_no_function_of_the_test_is_a_new_one(given):
    before = body(f"const store = load(3, {given});\nexpect(store.get()).toBe(1);")
    assert became(before, before.replace(f"3, {given}", "3, () => vi.fn(cart)")) == "warning mocked"
