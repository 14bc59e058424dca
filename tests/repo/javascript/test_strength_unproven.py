"""What doesn't prove that a JavaScript test got weaker is a warning; what proves it, beside it, is an error."""

import pytest

from tests.repo.javascript.project import VITEST
from tests.repo.javascript.strength_cases import HEAD, became, between, body, loudest

SIZE = "await expect(page.evaluate(() => window.link.size)).resolves.toBe(0);"
WAITED = "await expect(page.waitForFunction(() => window.link.size === {})).resolves.toBeTruthy();"


def test_what_is_waited_for_is_expected_and_another_value_is_not():
    assert became(body(SIZE), body(WAITED.format(0))) == "warning changed"
    assert became(body(SIZE), body(WAITED.format(1))) == "error removed"


MADE = "describe('price', () => {{\n it('adds', spec(cart()));\n {}\n}});\n"


def test_a_test_whose_function_cannot_be_read_may_be_the_one_that_is_gone():
    before = body("expect(cart().total).toBe(2);") + "it('sums', () => { expect(price(1)).toBe(2); });\n"
    kept = body("expect(cart().total).toBe(2);")
    assert became(before, kept + MADE.format("")) == "warning deleted"
    assert became(before, kept) == "error deleted"
    assert became(before, "import { cart } from '../src/shop';\n" + MADE.format("")) == "error deleted"


TIMED = "const times = load().map((one) => one.time); expect(times[1] - times[0]).{};"


def test_what_a_matcher_of_the_tests_own_says_is_unknown():
    before = body(TIMED.format("toBeGreaterThanOrEqual(490)"))
    assert became(before, body(TIMED.format("toBeRoughly(500, 50)"))) == "warning loosened"
    assert became(before, body(TIMED.format("toBeDefined()"))) == "error loosened"


INLINE = "expect(load()).toMatchInlineSnapshot(`{}`);"


@pytest.mark.parametrize("after", ['"[\n  {\n    "code": 1\n  }\n]"', "<p>\n  hello\n</p>"])
def test_another_inline_snapshot_is_another_result_however_it_is_written(after):
    assert became(body(INLINE.format('""')), body(INLINE.format(after))).startswith("warning")
    assert became(body(INLINE.format(after)), body(INLINE.format('""'))).startswith("warning")
    assert became(body(INLINE.format('""')), body("expect(load()).toMatchSnapshot();")) == "error loosened"


COUNTED = "{head}it('a', () => {{ load(1); expect(save).toHaveBeenCalledTimes({a}); }});\nit('b', () => {{ load(2); expect(save).toHaveBeenCalledTimes({b}); }});\n"
FAKED = "import { load, save } from '../src/shop';\nvi.mock('../src/shop');\n"


def test_two_tests_that_each_expect_another_number_lost_nothing_to_each_other():
    assert became(COUNTED.format(head=FAKED, a=2, b=3), COUNTED.format(head=FAKED, a=3, b=4)) == "warning expectation"


def test_a_test_that_only_set_its_own_assertions_up_was_hollow_before():
    head = "const should = chai.should();\n"
    typed = "const one: Schema<number> = {type: 'int'};"
    assert became(f"{head}{body(f'{typed} should.exist(one);')}", body(f"{typed} void one;")) == "silent"
    assert became(body("load(1);"), body(f"{typed} void one;")) == "error hollow"


def test_a_page_that_is_set_up_in_another_way_is_no_proof():
    assert became(
        body("document.body.append(cart()); expect(document.body.innerHTML).toBe('a');"),
        body("document.body.innerHTML = ''; document.body.append(cart()); expect(document.body.innerHTML).toBe('a');"),
    ).startswith("warning")
    faked = "load.page = () => 'a'; expect(load.page()).toBe('a');"
    assert became(body("expect(load.page()).toBe('a');"), body(faked)).startswith("error")


STRICT = "import assert from 'node:assert';\n"


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("assert.deepStrictEqual(cart(), { a: 1 });", "expect(cart()).toEqual({ a: 1 });", "warning loosened"),
        ("expect(cart()).toStrictEqual({ a: 1 });", "expect(cart()).toEqual({ a: 1 });", "error loosened"),
        ("assert.deepStrictEqual(cart(), { a: 1 });", "expect(cart()).toStrictEqual({ a: 1 });", "silent"),
        ("assert.deepStrictEqual(cart(), 'a');", "expect(cart()).toEqual('a');", "silent"),
        ("assert.deepStrictEqual([cart(), price()], ['a', 1]);", "expect([cart(), price()]).toEqual(['a', 1]);", "silent"),
    ],
)  # fmt: skip
def test_a_library_that_overlooks_undefined_properties_says_less(before, after, said):
    assert became(STRICT + body(before), STRICT + body(after)) == said


def test_a_pattern_is_the_same_however_it_is_made():
    exact = body("expect(load()).toBe('Error: gone');")
    assert became(exact, body("expect(load()).toMatch(new RegExp(/Error: gone/));")) == "error loosened"
    assert (
        became(body("expect(load()).toMatch(/gone/);"), body("expect(load()).toMatch(new RegExp(/gone/));")) == "silent"
    )


def test_a_function_that_is_asserted_to_be_another_one_is_tested_with_that_one():
    before = "import { load, save } from '../src/shop';\nit('works', () => { expect(load(1)).toBe(2); });\n"
    assert (
        became(
            before,
            before.replace("load(1)).toBe(2)", "load).toBe(save)").replace("works", "is"),
        )
        == "warning deleted"
    )
    assert (
        became(
            before,
            before.replace("load(1)).toBe(2)", "save).toBe(load)").replace("works", "is"),
        )
        == "error deleted"
    )


LOOPED = "import {{ load }} from '../src/shop';\nfor (const one of names()) {{\n  it({}, () => {{ expect(load(one)).toBe({}); }});\n}}\n"


def test_a_test_under_a_computed_title_may_stand_for_several():
    lost = "".join(f"it('{one}', () => {{ expect(load({one})).toBe(7); }});\n" for one in range(3))
    before = "import { load } from '../src/shop';\n" + lost
    assert became(before, LOOPED.format("`of ${one}`", "wanted(one)")) == "warning deleted"
    assert became(before, LOOPED.format("'of one'", "wanted(one)")) == "error deleted"


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("process.versions.modules >= 93", "warning conditional"),
        ("Number(process.version.slice(1).split('.')[0]) >= 18", "warning conditional"),
        ("semver.gte(process.version, '18.0.0')", "warning conditional"),
        ("semver.gte(load(), '18.0.0')", "error conditional"),
        ("process.env.DEEP >= 18", "error conditional"),
    ],
)
def test_what_is_asserted_of_one_version_of_the_runtime_is_asserted_there(condition, said):
    asserted = "expect(cart().total).toBe(2);"
    assert became(body(asserted), body(f"if ({condition}) {{ {asserted} }}")) == said


EXITING = "const shop = cart();\nshop.onExit((err) => { checkError(err, 0); %s });\nshop.parse(['node']);"
CHECKED = "function checkError(err) { expect(err).toBeInstanceOf(Error); }"


def test_a_promise_that_is_awaited_says_what_told_that_a_test_is_done():
    before = body(EXITING % "done();", before=CHECKED, kind="(done) =>")
    resolved = f"await new Promise((resolve) => {{ {EXITING % 'resolve();'} }});"
    assert became(before, body(resolved, before=CHECKED)) == "silent"
    assert became(before, body(resolved.replace("await ", ""), before=CHECKED)) == "error unawaited"
    assert became(before, body(EXITING % "", before=CHECKED)) == "error unawaited"


FLAGGED = "let told = false;\nconst shop = cart();\nshop.on('close', () => { told = true; });\nshop.close(() => { expect(told).toBeTruthy(); expect(shop.open).toBe(false); done(); });"
ENDING = "const shop = cart();\n%s\nshop.close(() => { expect(shop.open).toBe(false); %s });"


def test_a_callback_that_ends_the_test_needs_no_flag_that_it_was_called():
    before = body(FLAGGED, kind="(done) =>")
    assert became(before, body(ENDING % ("shop.on('close', done);", ""), kind="(done) =>")) == "warning removed"
    assert became(before, body(ENDING % ("", "done();"), kind="(done) =>")) == "error removed"


MOVED = "describe('{}', () => {{\n  it('{}', () => {{ load('a'); expect(warn).not.toHaveBeenCalled(); }});\n}});\n"
STAYS = body("expect(cart().total).toBe(2);")


@pytest.mark.parametrize(
    ("suite", "said"), [("enforcing', () => { describe('strictly", "error deleted"), ("enforcing", "warning deleted")]
)
def test_a_suite_that_another_file_takes_over_may_hold_a_test_that_is_gone(suite, said):
    gone = "describe('enforcing', () => {\n  it('never should work', () => { expect(cart().error).toBe(1); });\n});\n"
    files = {**VITEST, "test/a.test.ts": STAYS + gone}
    ends = "});\n" if "(" in suite else ""
    other = HEAD + MOVED.format(suite, "never should work at all") + ends
    assert loudest(between(files, {**files, "test/a.test.ts": STAYS, "test/b.test.ts": other})) == said


def test_a_method_of_a_class_that_the_test_declares_may_be_wrapped():
    head = "import { action, Cart } from '../src/shop';\n"
    declared = "class Store {{ add(a) {{ return a; }} }}\n{}\nexpect(new Store().add(1)).toBe(1);"
    wrapped = declared.format("Store.prototype.add = action(Store.prototype.add);")
    assert became(body(declared.format(""), head=head), body(wrapped, head=head)) in {"silent", "warning mocked"}
    used = "{}\nexpect(new Cart().add(1)).toBe(1);"
    replaced = used.format("Cart.prototype.add = (a) => a;")
    assert became(body(used.format(""), head=head), body(replaced, head=head)) == "error mocked"


KEPT = "const seen = expect(load()).rejects.toThrow('down');\nawait price(1);\n"


@pytest.mark.parametrize("last", ["", "seen;", "void seen;", "seen.catch(() => {});"])
def test_a_kept_promise_of_an_assertion_that_nothing_awaits_any_more_is_an_error(last):
    assert became(body(KEPT + "await seen;"), body(KEPT + last)) == "error unawaited"


@pytest.mark.parametrize(
    "last", ["return seen;", "await Promise.all([seen]);", "await join(seen);", "return { seen };"]
)
def test_a_kept_promise_of_an_assertion_may_be_awaited_in_any_way(last):
    assert became(body(KEPT + "await seen;"), body(KEPT + last)) == "silent"


LINES = {
    "test/build.ts": "import { expect } from 'vitest';\nexport function hasLine(all, sku) {\n"
    "  const line = all.items().find((one) => one.sku === sku);\n  expect(line).toBeDefined();\n"
    "  expect(line.amount).toBe(3);\n}\n"
}
IMPORTED = f"{HEAD}import {{ hasLine }} from './build';\n"


@pytest.mark.parametrize(
    ("after", "expected"),
    [("expect(own).toHaveLine('tea');", "warning"), ("expect(load()).toHaveLine('tea');", "error"), ("", "error")],
    ids=["a matcher of its own", "one about something else", "nothing"],
)
def test_what_an_unreadable_matcher_says_of_the_same_value_may_stand_for_a_helpers_assertions(after, expected):
    old, new = (
        "const own = cart();\nexpect(own.total()).toBe(9);\nhasLine(own, 'tea');",
        "const own = cart();\nexpect(own.total()).toBe(9);\n",
    )
    found = became(body(old, head=IMPORTED), body(f"{new}{after}", head=IMPORTED), others=LINES)
    assert found.split()[0] == expected
