"""Identity beside equality, and what a test changes before it asserts."""

from __future__ import annotations

import pytest

from pactkeeper.intent.strength.change import shown
from tests.repo.javascript.project import VITEST
from tests.repo.javascript.strength_cases import HEAD, became, between, body, loudest, strengths

OBJECT = "const one = { a: 1 };\n"
MADE = "const one = load();\n"
CHAI = "import { expect } from 'chai';\nimport { price } from '../src/shop';\n"
ASSERT = "import assert from 'node:assert';\nimport { price } from '../src/shop';\n"


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("expect(price(one)).toBe(one);", "expect(price(one)).toEqual(one);", "error loosened"),
        ("expect(price(one)).toBe(one);", "expect(price(one)).toStrictEqual(one);", "error loosened"),
        ("expect(price(one) === one).toBe(true);", "expect(price(one)).toEqual(one);", "error loosened"),
        ("expect(price(one)).not.toEqual(one);", "expect(price(one)).not.toBe(one);", "error loosened"),
        ("expect(price(one)).not.toBe(one);", "expect(price(one)).not.toEqual(one);", "silent"),
        ("expect(price(one)).toEqual(one);", "expect(price(one)).toBe(one);", "silent"),
        ("expect(price(one)).toBe(one);", "expect(price(one) === one).toBe(true);", "silent"),
        ("expect(price(one)).toBe('a');", "expect(price(one)).toEqual('a');", "silent"),
        (
            "const two = 'a'; expect(price(1)).toStrictEqual(two);",
            "const two = 'a'; expect(price(1)).toBe(two);",
            "silent",
        ),
        (
            "for (const x of ['a', 2]) expect(price(1)).toStrictEqual(x);",
            "for (const x of ['a', 2]) expect(price(1)).toBe(x);",
            "silent",
        ),
        (
            "const two = [1]; expect(price(1)).toStrictEqual(two);",
            "const two = [1]; expect(price(1)).toEqual(two);",
            "error loosened",
        ),
        ("expect(price(one)).toBe(one.length);", "expect(price(one)).toEqual(one.length);", "silent"),
    ],
)
def test_equality_says_less_than_identity_of_an_object(before, after, told):
    assert became(body(OBJECT + before), body(OBJECT + after)) == told


def test_equality_instead_of_identity_of_an_unknown_value_is_a_warning():
    before, after = (body(f"{MADE}expect(price(one)).{matcher}(one);") for matcher in ("toBe", "toEqual"))
    assert became(before, after) == "warning loosened"


@pytest.mark.parametrize(
    ("head", "before", "after"),
    [
        (CHAI, "expect(price(one)).to.equal(one);", "expect(price(one)).to.deep.equal(one);"),
        (ASSERT, "assert.strictEqual(price(one), one);", "assert.deepStrictEqual(price(one), one);"),
    ],
)
def test_deep_equality_says_less_than_identity_in_every_library(head, before, after):
    old, new = (body(OBJECT + each, head=head) for each in (before, after))
    assert became(old, new) == "error loosened"


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("one.a++; expect(price(one)).toBe(1);", "one.a--; expect(price(one)).toBe(1);", "warning subject"),
        ("one.a++; expect(price(one)).toBe(1);", "one.a; expect(price(one)).toBe(1);", "warning subject"),
        ("one.a += 1; one.a += 1; expect(price(one)).toBe(1);", "one.a += 1; expect(price(one)).toBe(1);",
         "warning subject"),
        ("delete one.a; expect(price(one)).toBe(1);", "expect(price(one)).toBe(1);", "warning subject"),
        ("expect(() => { one.a++; }).toThrow(TypeError);", "expect(() => { one.a; }).toThrow(TypeError);",
         "warning subject"),
        ("expect(price((it) => { it.a++; })).toBe(1);", "expect(price((it) => { it.a--; })).toBe(1);",
         "warning subject"),
        ("expect(() => { one.a++; }).toThrow(TypeError);", "expect(() => { one.a += 1; }).toThrow(TypeError);",
         "silent"),
    ],
)  # fmt: skip
def test_updates_are_steps_of_a_test(before, after, told):
    assert became(body(MADE + before), body(MADE + after)) == told


@pytest.mark.parametrize(
    ("assertion", "told"),
    [
        ("expect(price((it) => { it.a++; })).toBe(2);", "price((a) => a.a += 1) === 2"),
        ("expect(price(null, () => {})).toBe(null);", "price(null, () => {}) is null"),
        ("expect(one[1].done === true).toBe(true);", "one[1].done === true"),
        ("expect(price((it) => !it.a && it.b)).not.toBe(two);", "price((a) => !a.a && a.b) !== two"),
        ("expect(price(...one, `${two}s`)).toEqual([1]);", "price(...one, `${two}s`) == [1]"),
        ("expect(price(two ? 1 : 2)).toBe(3);", "price(two ? 1 : 2) === 3"),
        ("expect(price((it) => { it.a = 1; throw two; })).toBe(3);", "price((a) => a.a = 1; throw two) === 3"),
    ],
)
def test_an_assertion_is_shown_as_javascript_writes_it(assertion, told):
    facts = [fact for one in strengths({**VITEST, "test/a.test.ts": body(assertion)}).values() for fact in one.facts]
    assert [shown(fact) for fact in facts] == [told]


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("set('strict');", "set('lax');", ["a step of its set-up is another one now"]),
        ("set('strict'); load();", "load();", ["a step of its set-up is gone"]),
        ("set('strict');", "", ["a step of its set-up is gone"]),
        ("set('strict');", "set('strict'); load();", []),
    ],
)
def test_another_step_of_a_hook_is_noted(before, after, told):
    old, new = (
        body("expect(price(1)).toBe(1);", before=f"beforeEach(() => {{ {each} }});") for each in (before, after)
    )
    found = between({**VITEST, "test/a.test.ts": old}, {**VITEST, "test/a.test.ts": new})
    assert [(one.severity, one.message) for one in found] == [("note", message) for message in told]


@pytest.mark.parametrize(
    ("head", "told"),
    [
        ("let n = 4; n < 20; n += 4", "error loosened"),
        ("let n = 4; n < 20; n++", "error loosened"),
        ("let n = 4; n <= 29; ++n", "silent"),
        ("let n = 0; n < 30; n += 1", "silent"),
        ("let n = 8; n < 34; n += 1", "warning changed"),
    ],
)
def test_a_loop_that_counts_is_compared_by_its_numbers(head, told):
    old, new = (body(f"for ({each}) {{ expect(price(n)).toBe(n); }}") for each in ("let n = 4; n < 30; n += 1", head))
    assert became(old, new) == told


def test_a_library_that_compares_loosely_is_an_error_unless_it_is_another_one():
    strict, loose, ava = (
        f"import assert from '{name}';\nimport {{ price }} from '../src/shop';\n"
        for name in ("node:assert/strict", "node:assert", "ava")
    )
    old = body("assert.equal(price(1), 2);", head=strict)
    assert became(old, body("assert.equal(price(1), 2);", head=loose)) == "error loosened"
    before = body("t.is(price(1), 2);", head=ava, kind="t =>").replace("it(", "assert(")
    assert became(before, body("assert.equal(price(1), 2);", head=loose)) != "error loosened"


@pytest.mark.parametrize(
    "after",
    [
        "const base = { name, days: 2 }; expect(price({ ...base, tax: 1 })).toBe(3);",
        "const made = (tax) => ({ name, days: 2, tax }); expect([1].map(made).map((it) => price(it))).toEqual([3]);",
        "expect([1].map((tax) => price({ name, days: 2, tax }))).toEqual([3]);",
    ],
)
def test_an_object_may_be_put_together_anywhere(after):
    before = "const name = 'ann'; expect(price({ name: 'ann', days: 2, tax: 1 })).toBe(3);"
    assert became(body(before), body(f"const name = 'ann'; {after}")) == "silent"
    assert became(body(before), body(f"const name = 'bob'; {after}")) != "silent"


def test_a_step_of_a_hook_may_move_into_the_test():
    old = body("expect(price(1)).toBe(1);", before="beforeEach(() => { set('strict'); });")
    assert became(old, body("set('strict'); expect(price(1)).toBe(1);")) == "silent"


STEPS = """\
const one = load();
one.up();
expect(one.size()).toBe(1);
one.up();
expect(one.size()).toBe(2);
one.down();
expect(one.size()).toBe(1);
"""
ONE = "expect(one.size()).toBe(1);\n"


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (ONE, "expect(one.size()).toBeGreaterThan(0);\n", "error loosened"),
        (ONE, "expect(one.size()).toBeDefined();\n", "error loosened"),
        (ONE, "", "error removed"),
        ("one.down();\n" + ONE, "", "error removed"),
        (ONE, ONE + ONE, "silent"),
        (ONE, "expect(one.size()).toBe(1);\nexpect(one.size()).toBeGreaterThan(0);\n", "silent"),
    ],
)
def test_an_assertion_made_after_several_steps_must_be_made_after_each(old, new, told):
    assert became(body(STEPS), body(STEPS.replace(old, new, 1))) == told


def test_the_same_assertion_twice_without_a_step_between_is_one():
    assert became(body(STEPS.replace(ONE, ONE + ONE, 1)), body(STEPS)) == "silent"


@pytest.mark.parametrize(
    "loop", ["for (let at = 0; at < 2; at++) {{ {} }}", "times(2, () => {{ {} }});", "while (more()) {{ {} }}"]
)
def test_steps_made_in_a_loop_instead_are_no_loss(loop):
    step = "one.next(); expect(one.done()).toBe(false);"
    before, after = (body(f"const one = load(); {made}") for made in (f"{step} {step}", loop.format(step)))
    assert became(before, after) == "silent"


RUNNER = "import { expect, it } from 'vitest';\n"
LOCAL = "import { it } from 'vitest';\nimport { expect } from './said';\n"
OWN = [
    "export const expect: any = () => new Proxy({}, { get: () => () => undefined });",
    "export function expect(value: any) { return { toBe() {} }; }",
    "const made: any = () => ({ toBe() {} });\nexport { made as expect };",
    "import { vi } from 'vitest';\nexport const expect = vi.fn();",
    "export { expect } from './made';",
    "export * from './made';",
]
PASSED_ON = [
    "export { expect } from 'vitest';",
    "export * from 'vitest';",
    "import { expect } from 'vitest';\nexpect.extend({});\nexport { expect };",
    "import { expect as base } from 'vitest';\nexport const expect = base.extend({});",
    "import chai from 'chai';\nexport const { expect } = chai;",
]


@pytest.mark.parametrize(
    ("said", "told"), [*((one, "error mocked") for one in OWN), *((one, "silent") for one in PASSED_ON)]
)
def test_an_expect_of_the_repository_in_place_of_the_runners_is_an_error(said, told):
    made = "export const expect: any = () => ({ toBe() {} });"
    before, after = (body("expect(price(2)).toBe(4);", head=head + HEAD) for head in (RUNNER, LOCAL))
    assert became(before, after, others={"test/said.ts": said, "test/made.ts": made}) == told


@pytest.mark.parametrize(("written", "told"), [
    ("const assert = { equal() {} };\n", "error mocked"),
    ("const assert = new Proxy({}, { get: () => () => {} });\n", "error mocked"),
    ("import assert from './none';\n", "error mocked"),
    ("const assert = require('./common');\n", "error mocked"),
    ("import assert from './strict';\n", "silent"),
    ("import { assert } from './chai';\n", "silent"),
    ("const assert = require('node:assert/strict');\n", "silent"),
])  # fmt: skip
def test_an_assert_of_the_repository_in_place_of_a_packages_is_an_error(written, told):
    others = {
        "test/none.ts": "export default { equal() {} };\n",
        "test/common.ts": "module.exports = { equal() {} };\n",
        "test/strict.ts": "import strict from 'node:assert/strict';\nexport default strict;\n",
        "test/chai.ts": "import chai from 'chai';\nexport const { assert } = chai;\n",
    }
    before, after = (
        body("assert.equal(price(2), 4);", head=head + HEAD)
        for head in ("import assert from 'node:assert/strict';\n", written)
    )
    assert became(before, after, others=others) == told


def test_an_assert_of_the_repository_beside_an_expect_of_the_runner_is_silent():
    before = body("expect(price(2)).toBe(4);", head=RUNNER + HEAD)
    own = "function assert(one) { if (!one) throw new Error('not so'); }\n"
    assert became(before, before + own) == "silent"


def test_an_expect_of_the_repository_may_stay_and_give_way_to_the_runners():
    before = body("expect(price(2)).toBe(4);", head=LOCAL + HEAD)
    others = {"test/said.ts": OWN[0]}
    assert became(before, before + "\n", others=others) == "silent"
    assert became(before, before.replace(LOCAL, RUNNER), others=others) == "silent"


@pytest.mark.parametrize(("hook", "worst"), [
    ("beforeEach((c) => { c.skip(); });", "error skipped"),
    ("beforeEach(async (c: TestContext) => { c.skip('later'); });", "error skipped"),
    ("beforeEach((c) => { if (process.env.FAST) c.skip(); });", "error skipped"),
    ("beforeEach((queue) => { other.skip(); });", "silent"),
])  # fmt: skip
def test_a_hook_that_skips_through_its_own_parameter_is_followed(hook, worst):
    test = body("expect(price(1)).toBe(2);")
    assert became(test, f"{test}{hook}\n") == worst


CAUGHT = "expect.assertions(1);\ntry { price(-1); } catch (error) { expect(error.message).toBe('no (1) price'); }"


@pytest.mark.parametrize(
    ("pattern", "told"),
    [
        (r"/^no \(1\) price$/", "silent"),
        (r"/^no \(1\) price/", "error loosened"),
        (r"/no \(1\) price$/", "error loosened"),
        (r"/^no \(.\) price$/", "error loosened"),
        (r"/^no \(1\) price$/i", "error loosened"),
        (r"/^no \(1\) price$/m", "error loosened"),
    ],
)
def test_a_pattern_of_a_whole_message_expects_the_same_as_the_message(pattern, told):
    assert became(body(CAUGHT), body(f"expect(() => price(-1)).toThrow({pattern});")) == told


@pytest.mark.parametrize("flag", ["i", "s", "m"])
def test_a_flag_with_which_a_pattern_matches_more_is_told(flag):
    before = body("expect(price(2)).toMatch(/^a.b$/);")
    after = before.replace("$/", f"$/{flag}")
    assert became(before, after) != "silent"
    assert became(before, before.replace("$/", "$/g")) == "silent"
    (new,) = strengths({**VITEST, "test/a.test.ts": after}).values()
    assert shown(new.facts[0]) == f"price(2) matches /^a.b$/{flag}"


DASHED = "import {{ dash }} from '../{folder}/text';\nit('dashes', () => {{ {asserted} }});\n"
BODIES = ("a.split('/').join('-')", "a.replace(/\\//g, '-')")


@pytest.mark.parametrize("folder", ["src/utils", "src/internal/helpers", "support"])
def test_a_product_in_a_folder_of_utilities_may_be_rewritten(folder):
    test = DASHED.format(folder=folder, asserted="expect(dash('a/b')).toBe('a-b');")
    states = [{f"{folder}/text.ts": f"export const dash = (a) => {said};\n"} for said in BODIES]
    before, after = ({**VITEST, **one, "test/a.test.ts": test} for one in states)
    assert between(before, after) == ()


@pytest.mark.parametrize("folder", ["src/utils", "support"])
def test_assertions_among_utilities_are_part_of_the_tests_that_call_them(folder):
    test = DASHED.format(folder=folder, asserted="dash(price(1));")
    states = [
        {f"{folder}/text.ts": f"export const dash = (a) => {{ expect(a).{said}; }};\n"}
        for said in ("toBe(2)", "toBeTruthy()")
    ]
    before, after = ({**VITEST, **one, "test/a.test.ts": test} for one in states)
    assert loudest(between(before, after)) == "error loosened"


def test_a_spy_made_by_another_library_is_the_same_spy():
    made = "const fake = MADE; price(fake); expect(fake).toHaveBeenCalled();"
    assert became(body(made.replace("MADE", "expect.createSpy()")), body(made.replace("MADE", "vi.fn()"))) == "silent"


CLEANED = (
    "import assert from 'node:assert';\nimport test from 'node:test';\nimport { serve } from '../testing/serve.js';\n"
)
SERVE = "import assert from 'node:assert';\nexport function serve(t) {{\n  const s = start();\n  t.after({}() => {{ s.close(); {} }});\n}}\n"


@pytest.mark.parametrize("kind", ["", "async "])
@pytest.mark.parametrize("place", ["in-the-test", "in-a-helper"])
def test_what_is_asserted_when_a_test_ends_counts(kind, place):
    states = []
    for asserted in ("assert.equal(s.errors, 0);", ""):
        helper = SERVE.format(kind, asserted)
        there = helper[helper.index("const s") :].removesuffix("}\n") if place == "in-the-test" else "serve(t);"
        test = f"{CLEANED}test('works', async (t) => {{ {there} assert.equal(f(), 1); }});\n"
        states.append(
            {"package.json": '{"scripts": {"test": "node --test"}}', "test/a.test.js": test, "testing/serve.js": helper}
        )
    assert loudest(between(*states)) == "error removed"


SPIES = "const one = vi.fn();\nconst two = vi.fn();\nload(one, two);\n"
CALLED = "expect(one).toHaveBeenCalledTimes(2);\nexpect(two).toHaveBeenCalledTimes(1);"


@pytest.mark.parametrize(
    "around",
    [
        "beforeEach(() => {\n  console.warn = vi.fn();\n});",
        "const spare = vi.fn();\nconst other = vi.fn();",
        "let spare;\nbeforeAll(() => {\n  spare = vi.fn();\n});",
    ],
)
def test_a_fake_that_is_made_around_a_test_leaves_its_own_what_they_are(around):
    before = body(SPIES + CALLED)
    assert between({**VITEST, "a.test.ts": before}, {**VITEST, "a.test.ts": body(SPIES + CALLED, before=around)}) == ()
    other = CALLED.replace("2", "3")
    assert became(before, body(SPIES + other, before=around)) == "warning expectation"
    assert became(before, body(SPIES + CALLED.partition("\n")[2], before=around)) != "silent"


def test_fakes_that_move_to_a_hook_are_still_told_apart():
    made = "let one, two;\nbeforeEach(() => {\n  one = vi.fn();\n  two = vi.fn();\n});"
    after = body("load(one, two);\n" + CALLED, before=made)
    assert became(body(SPIES + CALLED), after) == "silent"
    assert became(body(SPIES + CALLED), after.replace("(2)", "(1)")) != "silent"


WAITING = "new Promise((done) => setTimeout(done, {}))"


@pytest.mark.parametrize(("given", "own"), [("100", "100"), ("first", "first")])
def test_a_helper_taken_out_of_a_function_that_is_handed_on_is_the_same(given, own):
    test = "expect(load({{ get: (first) => {} }})).toBe(1);"
    helper = "const pause = (ms) => " + WAITING.format("ms") + ";"
    after = body(test.format(f"pause({given})"), before=helper)
    assert (
        between({**VITEST, "a.test.ts": body(test.format(WAITING.format(own)))}, {**VITEST, "a.test.ts": after}) == ()
    )
    swapped = after.replace("setTimeout(done, ms)", "setTimeout(ms, done)")
    assert between({**VITEST, "a.test.ts": after}, {**VITEST, "a.test.ts": swapped}) != ()


def test_an_assertion_pairs_first_with_the_one_that_says_the_same_of_the_same_text():
    before = body("expect(await load('one')).toBeVisible();\nexpect(await load('two')).toBeVisible();")
    after = body(
        "expect(save('zero')).toBeVisible();\nexpect(save('two')).toBeVisible();\nexpect(save('one')).toBeVisible();"
    )
    found = between({**VITEST, "a.test.ts": before}, {**VITEST, "a.test.ts": after})
    assert {(one.old, one.new) for one in found} >= {
        (f"load('{each}') is visible", f"save('{each}') is visible") for each in ("one", "two")
    }


WAITED = "vi.useFakeTimers();\nconst fn = vi.fn();\nload(fn, 50);\n"


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("{t}(49);\n{no}\n{t}(1);\n{once}", "{no}\n{t}(49);\n{t}(1);\n{once}", "warning grown"),
        ("{t}(49);\n{no}\n{t}(1);\n{once}", "{t}(1);\n{no}\n{t}(49);\n{once}", "warning grown"),
        ("await {t}Async(99);\n{no}\nawait {t}Async(1);\n{once}", "await {t}Async(9);\n{no}\nawait {t}Async(91);\n{once}", "warning grown"),
        ("{t}(49);\n{no}\n{t}(1);\n{once}", "{t}(40);\n{t}(9);\n{no}\n{t}(1);\n{once}", "silent"),
        ("{t}(49);\n{no}\n{t}(1);\n{once}", "await {t}Async(49);\n{no}\nawait {t}Async(1);\n{once}", "silent"),
        ("await later(49);\n{no}\nawait later(1);\n{once}", "{t}(49);\n{no}\n{t}(1);\n{once}", "silent"),
    ],
)  # fmt: skip
def test_other_time_before_an_assertion_is_another_input(before, after, told):
    words = {"t": "vi.advanceTimersByTime", "no": "expect(fn).not.toHaveBeenCalled();",
             "once": "expect(fn).toHaveBeenCalledTimes(1);"}  # fmt: skip
    assert became(body(WAITED + before.format(**words)), body(WAITED + after.format(**words))) == told


ASKED = "expect(spy).not.toHaveBeenCalled();"
SPYING = "const spy = vi.spyOn(console, 'error');\n"


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("load(1);\n" + ASKED, "load(1);\nspy.mockClear();\n" + ASKED, "error grown"),
        ("load(1);\n" + ASKED, "load(1);\nvi.clearAllMocks();\n" + ASKED, "error grown"),
        ("load(1);\nload(2);\n" + ASKED, "load(1);\nspy.mockReset();\nload(2);\n" + ASKED, "warning grown"),
        ("load(1);\n" + ASKED, "spy.mockClear();\nload(1);\n" + ASKED, "silent"),
        ("load(1);\n" + ASKED, "load(1);\n" + ASKED + "\nspy.mockClear();", "silent"),
        ("load(1);\n" + ASKED, "load(1);\nother.mockClear();\n" + ASKED, "silent"),
    ],
)
def test_calls_that_are_forgotten_before_a_test_asks_for_them_are_a_weakening(before, after, told):
    assert became(body(SPYING + before), body(SPYING + after)) == told


@pytest.mark.parametrize(("hook", "told"), [("afterEach", "error grown"), ("beforeEach", "silent")])
def test_a_hook_that_forgets_calls_is_a_weakening_only_right_before_it_asks(hook, told):
    asking = SPYING + "afterEach(() => {\n%sexpect(spy).not.toHaveBeenCalled();\n});\n"
    after = (
        asking % "spy.mockClear();\n"
        if hook == "afterEach"
        else "beforeEach(() => { spy.mockClear(); });\n" + asking % ""
    )
    plain = "expect(load(1)).toBe(2);"
    assert became(body(plain, before=asking % ""), body(plain, before=after)) == told
