from __future__ import annotations

import pytest

from tests.repo.javascript.project import JEST, MOCHA, PLAYWRIGHT, VITEST, collected, in_file, titles


def test_nested_suites_make_the_path():
    assert titles(
        """
        import { describe, it } from 'vitest';
        describe('cart', () => {
          beforeEach(() => { reset(); });
          describe('empty', function () {
            it('has no total', () => {});
          });
          it('can be filled', async () => {});
        });
        it('stands alone', () => {});
        """
    ) == ["cart > empty > has no total", "cart > can be filled", "stands alone"]


@pytest.mark.parametrize(
    "chain",
    [
        "it.only",
        "it.skip",
        "it.concurrent",
        "it.sequential",
        "it.fails",
        "it.failing",
        "it.only.concurrent",
        "it.concurrent.only",
        "it.skipIf(process.env.CI)",
        "it.runIf(a && b(c))",
        "it['skip']",
        "it[mode]",
        "it!",
        "(it as any)",
        "(slow ? it : it.skip)",
        "test",
        "test.skip",
        "fit",
        "xit",
        "xtest",
        "specify",
        "it.extend({ a: 1 })",
        "it\n  .skip\n  .concurrent",
    ],
)
def test_modifiers_declare_in_any_order(chain):
    assert titles(f"{chain}('works', () => {{}});") == ["works"]


@pytest.mark.parametrize(
    "chain", ["describe", "fdescribe", "xdescribe", "describe.only", "describe.skip", "context", "suite"]
)
def test_suites_by_all_their_names(chain):
    assert titles(f"{chain}('s', () => {{ it('t', () => {{}}); }});") == ["s > t"]


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ('"it\'s fine"', "it's fine"),
        (r"'it\'s fine'", "it's fine"),
        ('"say \\"hi\\""', 'say "hi"'),
        ("`plain`", "plain"),
        (r"`a \`tick\` and \${not}`", "a `tick` and ${not}"),
        (r"'\u00e9 \x41 \u{1F600} \ud83d\ude00 \n'", "é A 😀 😀 \n"),
        ("'a ' + 'b ' + `c`", "a b c"),
        ("('in parentheses')", "in parentheses"),
        ("'fits' as const", "fits"),
        ("'wraps \\\nlines'", "wraps lines"),
    ],
)
def test_literal_names_are_decoded(written, name):
    (test,) = in_file(f"it({written}, () => {{}});")
    assert (test.name, test.dynamic) == (name, False)


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("`adds ${a} and ${b}`", "adds ${a} and ${b}"),
        ("NAME", "NAME"),
        ("Cart.name", "Cart.name"),
        ("'a' + b", "'a' + b"),
        ("title(\n    1,\n    2,\n  )", "title( 1, 2, )"),
    ],
)
def test_computed_names_are_source_text(written, name):
    (test,) = in_file(f"it({written}, () => {{}});")
    assert (test.name, test.dynamic) == (name, True)


def test_suite_may_be_named_by_a_function_or_class():
    assert titles(
        "describe(Cart, () => { it('a', () => {}); }); describe(Cart.name, () => { it('b', () => {}); });"
    ) == ["Cart > a", "Cart.name > b"]


@pytest.mark.parametrize(
    ("declaration", "cases"),
    [
        ("it.each([1, 2, 3])('n %i', () => {})", 3),
        ("it.each([[1, 2], [3, 4]])('n %i', () => {})", 2),
        ("it.skip.each([1])('n', () => {})", 1),
        ("it.each([1, 2]).skip('n', () => {})", 2),
        ("it.for([1, 2])('n', () => {})", 2),
        ("it.each(rows)('n', () => {})", None),
        ("it.each([...rows, 1])('n', () => {})", None),
        ("it.each(TABLE)('n', () => {})", 2),
        ("it.each`a | b\n${1} | ${2}\n${3} | ${4}`('$a', () => {})", 2),
        ("it.each<Row>`a | b\n${1} | ${2}`('$a', () => {})", 1),
        ("it.each<[number]>([[1]])('n', () => {})", 1),
        ("describe.each([1, 2])('d', () => { it.each([1, 2, 3])('n', () => {}); })", 6),
        ("for (const x of [1, 2]) it('n', () => {})", 2),
        ("for (const x of xs) it('n', () => {})", None),
        ("[1, 2].forEach((x) => { it('n', () => {}); })", 2),
        ("Object.keys(all).map((x) => it('n', () => {}))", None),
        ("it('n', () => {})", 1),
    ],
)
def test_cases_are_counted_where_the_source_tells(declaration, cases):
    (test,) = in_file(f"const TABLE = [[1], [2]] as const;\n{declaration};")
    assert test.cases == cases


@pytest.mark.parametrize(
    "loop", ["for (const x of xs) {", "while (next()) {", "xs.forEach((x) => {", "_.times(3, () => {"]
)
def test_test_in_a_loop_is_one_dynamic_test(loop):
    end = "});" if "(" in loop and loop.endswith("=> {") else "}"
    (test,) = in_file(f"{loop}\n  it(`case ${{x}}`, () => {{}});\n{end}")
    assert (test.dynamic, test.cases, test.name) == (True, None, "case ${x}")


def test_case_titles_stay_as_written():
    (test,) = in_file("it.each([[1, 2]])('adds %i to $b', () => {});")
    assert (test.name, test.dynamic) == ("adds %i to $b", False)


def test_lines_of_a_multi_line_declaration():
    (test,) = in_file("\n\nit.each([\n  [1],\n  [2],\n])(\n  'adds',\n  () => {\n  },\n);\n")
    assert (test.line, test.name_line, test.end_line) == (3, 6, 10)


def test_options_may_stand_before_and_after_the_callback():
    assert titles("it('a', { timeout: 5 }, () => {}); it('b', () => {}, 500); it('c', () => {}, { retry: 2 });") == [
        "a",
        "b",
        "c",
    ]


def test_what_looks_like_a_test_but_is_none():
    assert (
        titles(
            """
            const source = "it('in a string', () => {})";
            const template = `it('in a template', () => {})`;
            // it('in a comment', () => {});
            /* describe('block', () => { it('in a block comment', () => {}); }); */
            /it('x')/.test('y');
            regex.test('x');
            /re/.test('x');
            chai.it('x', () => {});
            this.it('x', () => {});
            const { it: other } = library;
            other('x', () => {});
            class A { it(name, fn) {} test(name) {} }
            function f(it) { it('parameter', () => {}); }
            function g() { const test = make(); test('local', () => {}); }
            { function test() {} test('local function', () => {}); }
            const h = (describe) => describe('x', () => {});
            try {} catch (it) { it('caught', () => {}); }
            for (const it of list) { it('loop variable', () => {}); }
            type It = typeof it;
            it.beforeEach('x', () => {});
            test.step('x', () => {});
            it;
            it();
            """
        )
        == []
    )


def test_text_in_jsx_is_no_test():
    assert titles(
        "const page = <p>it('in text', fn); test('too', fn);</p>;\nit('real', () => {});", path="a.test.tsx"
    ) == ["real"]


def test_closing_a_hook_does_not_close_the_suite():
    assert titles("describe('s', () => {\n  beforeEach(() => {\n  });\n  it('t', () => {});\n});") == ["s > t"]


def test_pending_tests_without_a_body():
    assert titles("it('later'); it.todo('someday');", base=MOCHA, path="test/a.js") == ["later", "someday"]


@pytest.mark.parametrize(
    "statement",
    [
        "test.skip(browserName === 'webkit', 'not there yet');",
        "test.skip(({ browserName }) => browserName === 'webkit', 'not there yet');",
        "test.skip();",
        "test.fixme(isMobile, reason);",
        "test.slow();",
        "test.fail(condition());",
        "test.setTimeout(5000);",
        "test.use({ locale: 'de' });",
        "test.describe.configure({ mode: 'serial' });",
        "test.beforeEach(async ({ page }) => {});",
        "test.beforeEach('named hook', async ({ page }) => {});",
        "const { skip } = test.info();",
    ],
)
def test_playwright_statements_declare_nothing(statement):
    source = f"import {{ test, expect }} from '@playwright/test';\n{statement}\ntest('t', async () => {{ {statement} await test.step('s', async () => {{}}); }});"
    assert titles(source, base=PLAYWRIGHT, path="e2e/a.spec.ts") == ["t"]


def test_playwright_suites_and_modifiers():
    assert titles(
        """
        import { test } from '@playwright/test';
        test.describe('shop', { tag: '@slow' }, () => {
          test.skip('a', async ({ page }) => {});
          test.fixme('b', async () => {});
          test.describe.parallel('inner', () => { test('c', { tag: ['@x'] }, async () => {}); });
          test.fail('d', async () => {});
        });
        """,
        base=PLAYWRIGHT,
        path="a.spec.ts",
    ) == ["shop > a", "shop > b", "shop > inner > c", "shop > d"]


def test_same_names_are_numbered_in_source_order():
    ids = [
        t.id
        for t in in_file(
            "describe('s', () => { it('a', f); it('a', f); }); describe('s', () => { it('a', f); it('a#2', f); });"
        )
    ]
    assert ids == ["a.test.ts::s::a", "a.test.ts::s::a#3", "a.test.ts::s::a#4", "a.test.ts::s::a#2"]


def test_separator_in_a_name_is_escaped():
    (test,) = in_file("it('a::b\\nc', () => {});")
    assert test.id == "a.test.ts::a\\:\\:b\\nc"


def test_language_and_framework_are_named():
    files = {
        **JEST,
        "a.test.js": "it('a', () => {});",
        "b.test.tsx": "import { it } from '@jest/globals'; it('b', () => {});",
    }
    assert [(t.language, t.framework) for t in collected(files)] == [("javascript", "jest"), ("typescript", "jest")]


def test_file_without_a_runner_among_the_dependencies_takes_its_import():
    (test,) = collected({"package.json": "{}", "test/a.js": "import { test } from 'node:test';\ntest('a', () => {});"})
    assert test.framework == "node:test"


def test_bodies_hash_without_the_name():
    first, second, third = in_file(
        "it('a', () => { run(1); }); it('b', () => { run(1) }); it('c', () => { run(2); });", base=VITEST
    )
    assert first.body_hash == second.body_hash != third.body_hash
