"""Who declares tests and judges them: a runner, or a function of the repository's own that may let anything pass.

Also functions of the language by which they assert.
"""

import pytest

from tests.repo.javascript.project import VITEST
from tests.repo.javascript.strength_cases import HEAD, became, between, body, loudest

TEST = "expect(price(1)).toBe(2);"
OWN = "import { it } from './own';\n"
BASE = "import { it as base } from 'vitest';\n"


def declared_by(own: str, imported: str = OWN) -> str:
    return became(body(TEST), body(TEST, before=imported), others={"test/own.ts": own})


@pytest.mark.parametrize(
    "own",
    [
        "export const it: any = (name, fn) => base(name, () => { try { fn(); } catch (e) { console.warn(e); } });",
        "export const it = (name, fn) => base(name, async () => { fn(); });",
        "export const it = (name, fn) => base(name, () => fn().catch(() => {}));",
        "export const it = (name, fn) => base(name, () => process.env.FULL && fn());",
        "export const it = (name, fn) => { if (process.env.FULL) base(name, fn); };",
        "export const it = (name, fn) => base(name, () => {});",
        "export const it = (name, fn) => base.skip(name, fn);",
        "export const it = base.fails;",
        "export function it(name, fn) { base.todo(name); fn; }",
        "const quietly = (fn) => () => { try { fn(); } catch {} };\nexport const it = (n, fn) => base(n, quietly(fn));",
    ],
)
def test_an_own_declarer_that_may_let_a_failure_pass_is_an_error(own):
    assert declared_by(BASE + own).startswith("error")


@pytest.mark.parametrize(
    "own",
    [
        "export const it = (name, fn) => base(name, fn);",
        "export function it(...given) { return base(...given); }",
        "export const it = (name, fn) => base(name, { timeout: 9 }, async () => { await open(); await fn(); });",
    ],
)
def test_an_own_declarer_that_only_hands_tests_on_is_a_warning(own):
    assert declared_by(BASE + own) == "warning mocked"


@pytest.mark.parametrize(
    "own",
    [
        "export const it = base.extend({ page: async ({}, use) => { await use(1); } });",
        "export { base as it };",
        "export { it } from 'vitest';",
    ],
)
def test_a_declarer_of_the_runner_is_the_runner_wherever_it_comes_from(own):
    assert declared_by(BASE + own) == "silent"


def test_a_declarer_that_swallows_in_its_own_file_later_is_an_error():
    test = body(TEST, before=OWN)
    heard, unheard = (f"{BASE}export const it = (name, fn) => base(name, {run});" for run in ("fn", "() => fn"))
    files = [{**VITEST, "test/a.test.ts": test, "test/own.ts": own} for own in (heard, unheard)]
    assert loudest(between(*files)) == "error mocked"


@pytest.mark.parametrize(
    "imported", ["import * as own from './own';\nconst it = own.it;\n", "const { it } = require('./own');\n"]
)
def test_an_own_declarer_is_followed_through_other_names(imported):
    own = f"{BASE}export const it = (name, fn) => base(name, () => {{ try {{ fn(); }} catch {{}} }});"
    assert declared_by(own, imported) == "error mocked"


@pytest.mark.parametrize(
    ("before", "statements"),
    [
        ("", f"const expect = (_) => ({{ toBe: (_) => {{}} }});\n{TEST}"),
        ("", f"function expect() {{ return {{ toBe() {{}} }}; }}\n{TEST}"),
    ],
)
def test_a_judge_that_the_test_itself_declares_is_an_error(before, statements):
    runner = "import { expect, it } from 'vitest';\n"
    assert became(body(TEST, head=HEAD + runner), body(statements, before=before, head=HEAD + runner)).startswith(
        "error"
    )


def test_a_judge_that_a_test_takes_from_its_runner_is_the_runner_s():
    given = body(TEST, kind="async ({ expect }) =>")
    assert became(body(TEST), given) == "silent"


NAN = "expect(Number.isNaN(price(1))).toBe(true);"
TRIMMED = "expect(price('x').includes('y')).toBe(true);"


@pytest.mark.parametrize(
    ("test", "replaced", "said"),
    [
        (NAN, "Number.isNaN = () => true;", "error mocked"),
        (NAN, "globalThis.Number.isNaN = () => true;", "error mocked"),
        (NAN, "vi.spyOn(Number, 'isNaN').mockReturnValue(true);", "error mocked"),
        (TRIMMED, "String.prototype.includes = () => true;", "error mocked"),
        (NAN, "JSON.stringify = () => '';", "warning mocked"),
        (NAN, "Math.random = () => 0.5;", "silent"),
        (NAN, "vi.spyOn(Math, 'random').mockReturnValue(0.5);", "silent"),
    ],
)
def test_a_function_of_the_language_by_which_a_test_asserts_is_not_replaced(test, replaced, said):
    assert became(body(test), body(f"{replaced}\n{test}")) == said


@pytest.mark.parametrize(
    ("passing", "mocked", "said"),
    [
        ("export { price } from './price';", "'../src/price'", "error mocked"),
        ("export * from './all';", "'../src/price'", "error mocked"),
        (
            "export { price } from './price';",
            "'../src/price', async (own) => ({ ...(await own()), price: () => 2 })",
            "error mocked",
        ),
        (
            "export { price } from './price';",
            "'../src/price', async (own) => ({ ...(await own()), rate: () => 2 })",
            "silent",
        ),
        ("export { price } from './price';", "'../src/other'", "silent"),
        ("import { price as own } from './price';\nexport const price = (a) => own(a);", "'../src/price'", "silent"),
    ],
)
def test_a_module_in_place_of_the_one_that_passes_a_tested_name_on_is_an_error(passing, mocked, said):
    product = {"src/price.ts": "export const price = (a) => a;", "src/other.ts": "export const other = 1;"}
    others = {**product, "src/shop.ts": passing, "src/all.ts": "export { price } from './price';"}
    before, after = body(TEST), body(TEST, before=f"vi.mock({mocked});\n")
    assert became(before, after, others=others) == said


@pytest.mark.parametrize(("there", "said"), [("./core", True), ("./faked", False)])
def test_an_import_that_leads_to_no_file_is_told_from_one_of_the_tests(there, said):
    before, after = (body(TEST, before=f"import {{ price }} from '{place}';\n") for place in ("../src/core", there))
    files = {**VITEST, "src/core.ts": "export const price = (n) => n * 2;"}
    faked = {**files, "test/faked.ts": "export { price } from 'prices';"}
    found = between({**files, "test/a.test.ts": before}, {**faked, "test/a.test.ts": after})
    assert loudest(found).startswith("error")
    message = f"{there!r} leads to no file, and it asserts of what it imports from there: 'price'"
    assert (message in {one.message for one in found}) is said


DURING = "exports.during = (name, day, check) => {{ test(name, () => {{ now(day); try {{ check(); }} {} }}); }};"


@pytest.mark.parametrize(
    ("ending", "check", "said"),
    [
        ("finally { now(); }", "() => { expect(price(1)).toBe(1); }", "warning mocked"),
        ("finally { now(); }", "async () => { expect(await price(1)).toBe(1); }", "error mocked"),
        ("catch (error) { now(); }", "() => { expect(price(1)).toBe(1); }", "error mocked"),
    ],
)
def test_what_a_function_of_the_tests_calls_at_once_may_be_seen_to_fail(ending, check, said):
    head, others = "import { price } from '../src/shop';\n", {"test/days.ts": DURING.format(ending)}
    before, after = f"{head}test('a', {check});\n", f"{head}{DAYS}days.during('a', 3, {check});\n"
    assert became(before, after, others=others) == said


DAYS = "const days = require('./days');\n"
SETTING = "expect(price(1)).toBe(shop.rate);"


def test_what_an_assertion_only_compares_with_may_be_set_but_not_what_it_asks():
    assert became(body(SETTING), body(f"shop.rate = 5;\n{SETTING}")) != "error mocked"
    asked = "expect(shop.rate).toBe(price(1));"
    assert became(body(asked), body(f"shop.rate = 5;\n{asked}")).startswith("error")
