"""Files of type tests, which a compiler reads: tsd, TSTyche, expect-type and Vitest say the same in other words."""

from __future__ import annotations

import pytest

from pactkeeper.intent.strength.change import Paired
from pactkeeper.intent.strength.effect import strength_of
from pactkeeper.intent.strength.review import changes
from pactkeeper.repo.languages.javascript.strength.types import types_of
from pactkeeper.repo.snapshot import commit as state_of
from pactkeeper.repo.snapshot import worktree
from pactkeeper.repo.strength.judging import judge
from tests.repo.javascript.project import VITEST, discover
from tests.repo.javascript.strength_cases import became, body, loudest
from tests.repo.repositories import create, write
from tests.repo.strength.test_support import side

PATH = "typings/index.test-d.ts"


def told(before: str, after: str) -> str:
    old, new = (strength_of(types_of(PATH, source.encode(), tests=[])) for source in (before, after))
    return loudest(changes([Paired(PATH, PATH, old, new)]))


LONG = "{ name: string; prices: readonly number[]; paid: boolean; sent: Date | null; notes: string }"
SAME = [
    ("expectType<{a: string; b?: number;}>(x)", "expect(x).type.toBe<{ a: string, b?: number }>()"),
    ("expectType<string>(f(1))", "expectTypeOf(f(1)).toEqualTypeOf<string>();"),
    ("expectType<'a' | \"b\">(x)", "expectType<\n  | \"a\"\n  | 'b'\n>(x)"),
    ("expectAssignable<Base>(x)", "expect(x).type.toBeAssignableTo<Base>()"),
    ("expectAssignable<Base>({ a: 1 })", "expect<Base>().type.toBeAssignableFrom({ a: 1 })"),
    ("expectNotAssignable<Base>(x)", "expect(x).type.not.toBeAssignableTo<Base>()"),
    ("expectNotType<any>(x)", "expectTypeOf(x).not.toBeAny()"),
    ("expectType<string>({} as Made)\n", "expect<Made>().type.toBe<string>()"),
    ("expectError(f(1))", "// @ts-expect-error  No overload matches this call.\nf(1)"),
    ("expectError(f({ a: 1 }))", "f({\n  // @ts-expect-error\n  a: 1\n})"),
    ("expectError(() => f(1))", "/* @ts-expect-error */\nf(1);"),
    ("expectError(f(1))", "expect(f).type.not.toBeCallableWith(1)"),
    ("expectType<string>(x)", "test('x', () => { expect(x).type.toBe<string>() })"),
    ("on('a', (one) => { expectType<string>(one) })", "on('a', function (it) { expect(it).type.toBe<string>() })"),
    ("expectType<App>(on((a) => { expectType<A>(a) }))", "expectType<App>(on((a) => { expect(a).type.toBe<A>() }))"),
    ("expectAssignable<Base>(x)", "expectType<Base>(x)"),
    ("expectType<TypeEqual<Out<{ a: 1 }>, { b: 1 }>>(true)", "expectTypeOf<Out<{ a: 1 }>>().toEqualTypeOf<{ b: 1 }>()"),
    ("expectType<TypeEqual<Out<A>, B>>(true)", "type O = Out<A>\ntype P = B\nexpectTypeOf<O>().toEqualTypeOf<P>()"),
    ("expectType<TypeEqual<Out<A>, B>>(false)", "expectTypeOf<Out<A>>().not.toEqualTypeOf<B>()"),
    (f"expectType<TypeEqual<Out<{LONG}>, {LONG}>>(true)",
     f"type O = Out<{LONG}>\ntype P = {LONG}\nexpectTypeOf<O>().toEqualTypeOf<P>()"),
    ("const { a } = made()\nexpectType<TypeEqual<string, typeof a>>(true)",
     "const { a } = made()\nexpectTypeOf(a).toEqualTypeOf<string>()"),
    ("expectType<TypeOf<A, typeof x>>(false)", "expectTypeOf(x).not.toExtend<A>()"),
    ("assert<Equals<Out<A>, B>>()", "expectTypeOf<Out<A>>().toEqualTypeOf<B>()"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after"), SAME, ids=[after for _, after in SAME])
def test_the_same_type_in_the_words_of_another_library_is_silent(before, after):
    assert told(before, after) == "silent"


ONE = "expect(x).type.toBe<Partial<Reply>>()\n"
WEAKENED = [
    (ONE, "expect(x).type.toBe<any>()", "error loosened"),
    (ONE, "expectType<unknown>(x)", "error loosened"),
    (ONE, "expectTypeOf(x).toBeAny()", "error loosened"),
    (ONE, "", "error hollow"),
    ("expectTypeOf(x).toEqualTypeOf<A>()", "expectTypeOf<A>(x).toEqualTypeOf<A>()", "warning loosened"),
    (ONE, "expect(1).type.toBe<number>()", "warning changed"),
    (ONE, "expect(x).type.toBe<Partial<Request>>()", "warning expectation"),
    (ONE, "expect(x).type.toBeAssignableTo<Partial<Reply>>()", "warning loosened"),
    ("expectAssignable<A | B>(x)", "expectAssignable<C | D>(x)", "warning expectation"),
    ("expectType<TypeEqual<A, B>>(true)", "expectType<TypeEqual<A, B>>(false)", "warning expectation"),
    ("expectType<TypeEqual<A, B>>(true)", "expectTypeOf<A>().toExtend<B>()", "warning loosened"),
    ("type P = B\nexpectTypeOf<A>().toEqualTypeOf<P>()", "type P = C\nexpectTypeOf<A>().toEqualTypeOf<P>()",
     "warning expectation"),
    (ONE, f"test.skip('x', () => {{ {ONE} }})", "error hollow"),
    (ONE, "// expect(x).type.toBe<Partial<Reply>>()", "error hollow"),
    (ONE, f"// @ts-nocheck\n{ONE}", "error hollow"),
    (ONE, f"// Replies\n/* @ts-nocheck */\nimport x from '../x'\n{ONE}", "error hollow"),
    (ONE, f"import x from '../x'\n// @ts-nocheck\n{ONE}", "silent"),
    (ONE, f"// @ts-ignore\n{ONE}", "error hollow"),
    (f"{ONE}expectType<A>(y)", f"{ONE}// @ts-ignore\nexpectType<A>(y)", "error removed"),
    (f"{ONE}expectType<A>(y)", f"{ONE}// @ts-expect-error\nexpectType<A>(y)", "warning changed"),
    (f"{ONE}expectType<A>(y)", f"{ONE}// @ts-ignore\nf(1)\nexpectType<A>(y)", "silent"),
    ("expectError(f(1))", "// @ts-nocheck\n// @ts-expect-error\nf(1)", "error hollow"),
    ("const x = f(1)\nexpectType<A>(x)", "const x = null as any as A\nexpectType<A>(x)", "error hollow"),
    ("const x = f(1)\nexpectType<A>(x)", "const x: A = f(1)\nexpectType<A>(x)", "error hollow"),
    ("// @ts-expect-error\nf(1)", "f(1)", "error hollow"),
    ("expect(x).type.toAcceptProps<{ a: 1 }>()", "expect(x).type.toAcceptProps<{ a: 2 }>()", "warning expectation"),
    ("on('a', (x) => { expectType<A>(x) }); on('b', (x) => { expectType<B>(x) })",
     "on('a', (x) => { expectType<A>(x) }); on('b', (x) => {})", "error removed"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after", "loud"), WEAKENED, ids=[after for _, after, _ in WEAKENED])
def test_a_type_that_is_asserted_less_is_told(before, after, loud):
    assert told(before, after) == loud


def test_types_that_a_test_asserts_are_read_with_their_arguments():
    typed = "expectTypeOf(price(2)).toEqualTypeOf<number>();"
    assert became(body(typed), body(typed.replace("number", "any"))) == "error loosened"
    assert became(body(typed), body("assertType<number>(price(2));")) == "silent"


UNRUN = [
    "route({ on: [(event) => { TYPED }] });",
    "route({ async on(event) { const own = read(event); TYPED } });",
    "const unused = (event) => { TYPED };",
    "function unused(event) { TYPED }",
    "const route = vi.fn((event) => { TYPED });",
    "class Own extends Shop { constructor(event) { TYPED } }",
]


@pytest.mark.parametrize("written", UNRUN)
def test_a_type_that_is_asserted_in_a_function_nobody_calls_counts(written):
    typed = "expectTypeOf(event).toEqualTypeOf<Event>();"
    whole = f"expect(price(2)).toBe(4);\n{written.replace('TYPED', typed)}"
    assert became(body(whole), body(whole.replace(typed, ""))) == "error removed"
    assert became(body(whole), body(whole.replace("<Event>", "<any>"))) == "error loosened"


def test_a_type_that_is_asserted_outside_of_a_function_nobody_calls_now_is_the_same():
    inside = "const made = price(2);\nconst all = [made];\nexpectTypeOf(all).toEqualTypeOf<number[]>();"
    for before in (f"function One() {{\n{inside}\n}}", f"const one = {{ run() {{\n{inside}\n}} }};"):
        assert became(body(before), body(inside)) == "silent"
        assert became(body(before), body(inside.replace("<number[]>", "<string[]>"))) == "warning expectation"


def test_a_type_that_a_called_function_asserts_is_counted_once():
    whole = "function own(made) {\n  expectTypeOf(made).toEqualTypeOf<number>();\n}\nown(price(2));"
    assert became(body(whole), body("expectTypeOf(price(2)).toEqualTypeOf<number>();")) == "silent"


def test_an_assertion_inside_a_collected_test_is_that_tests_own():
    source = "import { test, expectTypeOf } from 'vitest';\ntest('a', () => {\n  expectTypeOf(x).toBeString();\n});\n"
    tests, _ = discover({**VITEST, "test/a.test.ts": source})
    assert strength_of(types_of("test/a.test.ts", source.encode(), tests=tests)).facts == ()
    assert len(strength_of(types_of("test/a.test.ts", source.encode(), tests=[])).facts) == 1


def test_an_error_that_a_comment_inside_a_collected_test_expects_counts():
    source = "import { test } from 'vitest';\ntest('a', () => {\n  // @ts-expect-error\n  price('two');\n});\n"
    tests, _ = discover({**VITEST, "test/a.test.ts": source})
    assert len(strength_of(types_of("test/a.test.ts", source.encode(), tests=tests)).facts) == len(tests) == 1


TWO = "import shop, { price } from '../shop'\nexpect(shop.price(1)).type.toBe<A>()\nexpect(price(1)).type.toBe<A>()\n"
FIRST = "expect(shop.price(1)).type.toBe<A>()\n"


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (TWO, TWO.replace(FIRST, FIRST.replace("<A>", "<any>")), "error loosened"),
        (TWO, TWO.replace(FIRST, ""), "error removed"),
        (TWO.replace("import shop, {", "import * as shop from '../shop'\nimport {"),
         TWO.replace("import shop, {", "import * as shop from '../shop'\nimport {").replace(FIRST, ""), "silent"),
    ],
)  # fmt: skip
def test_a_property_of_the_default_export_is_no_named_import(before, after, said):
    assert told(before, after) == said


def test_an_assertion_made_twice_that_says_less_once_is_not_stronger():
    sources = (ONE + ONE, ONE + "expect(x).type.toBe<any>()")
    old, new = (strength_of(types_of(PATH, source.encode(), tests=[])) for source in sources)
    assert changes([Paired(PATH, PATH, old, new)]) == ()


@pytest.mark.parametrize("comment", ["@ts-ignore", "@ts-expect-error"])
def test_a_type_that_a_test_no_longer_lets_the_compiler_report_is_an_error(comment):
    typed = "expectTypeOf(load).toEqualTypeOf<() => Cart>();"
    before = body(f"expect(price(2)).toBe(4);\n{typed}")
    assert became(before, before.replace(typed, f"// {comment}\n{typed}")) == "error removed"
    assert became(before, f"// @ts-nocheck\n{before}") == "error removed"


@pytest.mark.parametrize("instead", ["// @ts-ignore\n  price('two');", "price('two' as any);"])
def test_an_error_that_a_comment_expects_is_the_assertion_of_the_type_test_that_it_stands_in(tmp_path, instead):
    expecting = "// @ts-expect-error\n  price('two');"
    typed = (
        "import { expectTypeOf, test } from 'vitest';\ntest('takes', () => {\n  expectTypeOf(price(2)).toBeNumber();\n"
    )
    files = {**VITEST, "test/a.test-d.ts": f"{typed}  {expecting}\n}});\n"}
    project = create(tmp_path, files)
    write(tmp_path, {"test/a.test-d.ts": f"{typed}  {instead}\n}});\n"})
    found = judge(side(state_of(project, "HEAD")), side(worktree(project))).changes
    assert [(one.kind, one.severity, one.test) for one in found] == [("removed", "error", "test/a.test-d.ts::takes")]


@pytest.mark.parametrize(
    ("after", "expected"),
    [("expectTypeOf<Cart['total']>()", "silent"), ("expectTypeOf<Cart['size']>()", "warning subject")],
)
def test_a_member_of_a_new_object_has_the_type_of_that_member_of_its_class(after, expected):
    head = "import { expectTypeOf, it } from 'vitest';\nimport { Cart } from '../src/cart';\n"
    old, new = (f"{one}.returns.toEqualTypeOf<number>();" for one in ("expectTypeOf(new Cart(1).total)", after))
    assert became(body(old, head=head), body(new, head=head)) == expected
