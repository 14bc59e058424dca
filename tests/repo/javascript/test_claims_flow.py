import pytest

from pactkeeper.intent.tests import Test
from pactkeeper.repo.languages.javascript.claims import javascript_evidence
from tests.repo.javascript.claim_text import claims, declared, evidence, said, shown

BRANCHES = {
    "if (a) { expect(b).toBe(1) } else { expect(b).toBe(2) }": ["equals b | 1 [if a]", "equals b | 2 [if (not a)]"],
    "expect(r.success).toBe(false); if (!r.success) { expect(r.e).toBe(1) }": [
        "equals r.success | false",
        "equals r.e | 1",
    ],
    "expect(r.e).toBeDefined(); if (r.e) expect(r.e.code).toBe(1)": ["not undefined r.e", "equals r.e.code | 1"],
    "if (r.ok) { throw new Error('expected a failure') } expect(r.e).toBe(1)": ["not truthy r.ok", "equals r.e | 1"],
    "if (r.ok) { expect(r.v).toBe(1) } else { expect.fail('no') }": ["truthy r.ok", "equals r.v | 1"],
    "if (err) return done(err); expect(a).toBe(1)": ["equals a | 1"],
    "if (err) throw err; expect(a).toBe(1)": ["equals a | 1"],
    "a && expect(b).toBe(1)": ["equals b | 1 [if a]"],
    "a ? expect(b).toBe(1) : expect(b).toBe(2)": ["equals b | 1 [if a]", "equals b | 2 [if (not a)]"],
    "switch (k) { case 'x': expect(a).toBe(1); break; default: expect(a).toBe(2) }": [
        "equals a | 1 [if (== k 'x')]",
        "equals a | 2 [if (not (or (== k 'x')))]",
    ],
    "try { f(1); expect.fail() } catch (e) { expect(e.message).toBe('no') }": [
        "raises Error | f(1)",
        "equals raised(Error).message | 'no'",
    ],
    "try { await f(); throw new Error('unreachable') } catch (e) { expect(e).toBeInstanceOf(HttpError); expect(e.code).toBe(4) }": [
        "raises HttpError | f()",
        "equals raised(HttpError).code | 4",
    ],
    "try { f(1); t.fail() } catch (e) { t.ok(e instanceof Error) }": ["raises Error | f(1) [if raised(Error)]"],
    "expect.assertions(1); try { f() } catch (e) { expect(e.code).toBe(4) }": [
        "raises Error | f()",
        "equals raised(Error).code | 4",
    ],
    "try { f() } catch (e) { expect(e.code).toBe(4) }": ["equals raised(Error).code | 4 [if raised(Error)]"],
    "try { expect(a).toBe(1) } finally { close() }": ["equals a | 1"],
}
LOOPS = {
    "for (const x of xs) expect(x).toBe(1)": ["equals x | 1 [every x of xs]"],
    "[1, 2].forEach((n) => { expect(f(n)).toBe(true) })": ["equals f(n) | true [every n of [1, 2]]"],
    "for (const [k, v] of cases) expect(f(k)).toBe(v)": ["same f(k) | v [every case of cases]"],
    "for (let i = 0; i < 3; i++) { expect(f(i)).toBe(i) }": ["same f(i) | i [repeated]"],
    "while (next()) { expect(a).toBe(1) }": ["equals a | 1 [repeated]"],
    "await Promise.all(xs.map(async (x) => { expect(await f(x)).toBe(1) }))": ["equals f(x) | 1 [every x of xs]"],
}
CALLBACKS = {
    "return load().then((data) => { expect(data).toBe(1) })": ["equals data | 1"],
    "server.on('x', (m) => { expect(m).toBe(1); done() })": ["equals m | 1"],
    "await act(async () => { expect(a).toBe(1) })": ["equals a | 1"],
    "await waitFor(() => expect(a).toBe(1))": ["equals a | 1"],
    "return new Promise((resolve) => { expect(a).toBe(1); resolve() })": ["equals a | 1"],
    "run('x', { onDone: (v) => { expect(v).toBe(1) } })": ["equals v | 1"],
    "fs.stat('x', function (err, s) { assert.ifError(err); assert.equal(s.size, 1) })": [
        "completes fs.stat('x')",
        "equals s.size | 1",
    ],
    "function check(v) { expect(v).toBe(1) } emitter.once('x', check)": ["equals v | 1"],
    "const helper = { check() { expect(a).toBe(1) } }": [],
    "const log = () => expect(a).toBe(1)": [],
}
ALL = [*BRANCHES.items(), *LOOPS.items(), *CALLBACKS.items()]


@pytest.mark.parametrize(("body", "expected"), ALL, ids=[body for body, _ in ALL])
def test_a_claim_keeps_the_circumstances_it_is_made_under(body, expected):
    assert claims(body) == expected


HELPERS = """
function expectUser(user, { name, age = 3 }) {
  const first = user.first
  expect(user.name).toBe(name)
  expect(first).toBe(age)
}
const nested = (x) => { outer(x); function outer(y) { deeper(y) } }
function deeper(z) { deepest(z) }
function deepest(z) { expect(z).toBe(1) }
function shouldHaveBody(text) { return (res) => { assert.equal(res.text, text.toLowerCase()) } }
function expectHidden(a) { let kept; run(() => { kept = a }); expect(kept).toBe(1); expect(a).toBe(2) }
function expectList(a, list) {
  expect(a.length).toBe(list.length)
  for (let i = 0; i < list.length; i++) { expect(a[i]).toBe(list[i]) }
}
function expectLast(a) { let last = a[0]; for (const x of a) { last = x } expect(last).toBe(1) }
function parse(text) { return text.split(',') }
"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            "expectUser(load(), { name: 'Ann' })",
            ["equals load().name | 'Ann' [via expectUser]", "same load().first | {'name': 'Ann'}.age [via expectUser]"],
        ),
        ("deepest(f(2))", ["equals f(2) | 1 [via deepest]"]),
        ("request(app).get('/').expect(shouldHaveBody('Hi'))", ["equals response.text | 'hi' [via shouldHaveBody]"]),
        ("expectHidden(5); expectHidden(q)", ["equals q | 2 [via expectHidden]", "?"]),
        ("expectList(r, ['x'])", ["length r | 1 [via expectList]", "?"]),
        ("expectLast(r)", ["?"]),
        ("parse('a,b')", []),
    ],
)
def test_a_helper_of_the_same_file_states_what_it_asserts_of_its_arguments(body, expected):
    assert claims(body, HELPERS) == expected


def test_what_a_helper_asserts_before_it_goes_on_is_no_outcome():
    login = "async function login(user) { const r = await post(user); expect(r.status).toBe(200); return open(r.id) }"
    found = evidence("const page = await login('ann'); expect(page.title).toBe('Hi')", login)
    assert [said(each) for each in found.claims] == ["equals page.title | 'Hi'"]
    assert [shown(each) for each in found.actions] == ["login('ann')"]


def test_what_a_helper_asserts_last_is_an_outcome():
    total = "function buys(list) { const cart = fill(list); expect(cart.total).toBe(3) }"
    assert claims("buys(['a'])", total) == ["equals fill(['a']).total | 3 [via buys]"]


def test_evidence_of_a_followed_helper_is_the_call_in_the_test():
    found = evidence("  deepest(f(2))", HELPERS)
    assert (found.claims[0].quote, found.claims[0].line) == ("deepest(f(2))", len(HELPERS.splitlines()) + 3)


@pytest.mark.parametrize(
    ("before", "body"),
    [
        ("import { checkOne } from './support/checks'", "checkOne(f())"),
        ("import * as checks from './support/checks.js'", "checks.checkOne(f())"),
        ("const checks = require('./support/checks')", "checks.checkOne(f())"),
    ],
)
def test_a_helper_is_followed_into_the_file_it_is_imported_from(before, body):
    others = {"test/support/checks.ts": "export function checkOne(x: number) { expect(x).toBe(1) }"}
    assert claims(body, before, path="test/a.test.ts", others=others) == ["equals f() | 1 [via checkOne]"]


def test_product_code_that_asserts_is_not_followed():
    others = {"src/store.ts": "export function createStore(r) { assert(typeof r === 'function') }"}
    assert (
        claims("createStore(1)", "import { createStore } from '../src/store'", path="test/a.test.ts", others=others)
        == []
    )


def test_an_assertion_helper_whose_source_is_not_in_sight_is_marked():
    assert claims("expectTokens(a)", "import { expectTokens } from 'some-package'") == ["?"]


def test_an_import_never_leaves_the_repository():
    asked = []

    def read(path):
        asked.append(path)

    source = "import { expectIt } from '../../../etc/expect'\nit('works', () => {\n  expectIt(1)\n})"
    test = Test("id", "a.test.js", (), "works", 2, 2, 4, "javascript", "jest", "")
    javascript_evidence("a.test.js", source.encode(), tests=[test], read=read)
    assert asked == []


def test_a_namespace_says_nothing_of_what_it_owns():
    before = "import * as actions from './actions'\nimport { z } from 'zod'\nimport app from './app'"
    body = "expect(actions.add(1)).toBe(z.number().parse(2)); expect(app.get(1)).toBe(2)"
    assert claims(body, before) == ["same add(1) | number().parse(2)", "equals app.get(1) | 2"]


@pytest.mark.parametrize(
    ("before", "body", "expected"),
    [
        ("", "const a = f(1); expect(a).toBe(2)", {"a": "f(1)"}),
        ("", "const { b, c: d = 1 } = await f(); expect(b).toBe(d)", {"b": "f().b", "d": "f().c"}),
        ("", "const [q, , w] = f(); expect(q).toBe(w)", {"q": "f()[0]", "w": "f()[2]"}),
        ("const limit = 5", "expect(f()).toBe(limit)", {"limit": "5"}),
        ("let store; beforeEach(() => { store = create() })", "expect(store.x).toBe(1)", {"store": "create()"}),
        ("let store; store = a(); function reset() { store = b() }", "expect(store.x).toBe(1)", {}),
        ("import { api } from './api'\nconst get = api.get", "expect(get(1)).toBe(1)", {}),
        ("", "let n = 0; run(() => { n++ }); expect(n).toBe(1)", {}),
        ("", "const f = () => 1; expect(f).toBe(g)", {}),
        ("", "const seen = []; run((x) => seen.push(x)); expect(seen).toEqual([1])", {}),
        ("", "const list = [1]; list.push(2); expect(list).toEqual([1, 2])", {}),
        ("", "const req = { n: 0 }; req.n++; expect(req.n).toBe(1)", {}),
        ("", "const m = new Map(); expect(m.size).toBe(0)", {}),
        ("", "const app = express(); app.set('x', 1); expect(app.get('x')).toBe(1)", {"app": "express()"}),
        ("const unused = 5", "expect(a).toBe(1)", {}),
        ("", "return load().then(({ data }) => { expect(data).toBe(1) })", {"data": "load().data"}),
    ],
)
def test_names_are_defined_where_their_value_is_plain(before, body, expected):
    assert {name: shown(value) for name, value in evidence(body, before).definitions} == expected


def test_a_name_that_changes_holds_its_value_at_each_claim():
    body = "let r = f(1); expect(r.a).toBe(1); r = f(2); expect(r.a).toBe(2); if (x) { r = f(3) } expect(r.a).toBe(3)"
    assert claims(body) == ["equals r.a | 1 [r = f(1)]", "equals r.a | 2 [r = f(2)]", "equals r.a | 3"]


def test_a_claim_says_which_value_of_a_name_it_is_about():
    found = evidence("let r = f(1); expect(r.a).toBe(1); r = f(2); expect(r.b).toBe(2)")
    assert [each.turns for each in found.claims] == [(), (("r", 2),)]


def test_actions_are_the_calls_outside_assertions_in_order():
    found = evidence(
        "const s = make(opts); s.send(one()); expect(s.read()).toBe(1); new Job(2); console.log('x'); done()"
    )
    assert [shown(each) for each in found.actions] == ["make(opts)", "s.send(one())", "Job(2)"]


@pytest.mark.parametrize(
    ("source", "parameters", "rows"),
    [
        (
            "it.each([[1, 2], [3, 4]])('works %i', (a, b) => {\n  expect(a).toBe(b)\n})",
            ("a", "b"),
            [["1", "2"], ["3", "4"]],
        ),
        ("it.each([1, 2])('works %i', (a) => {\n  expect(a).toBe(1)\n})", ("a",), [["1"], ["2"]]),
        ("it.each([{ a: 1, b: 2 }])('works $a', ({ b, a }) => {\n  expect(a).toBe(b)\n})", ("b", "a"), [["2", "1"]]),
        (
            "it.each`\na | b\n${1} | ${'x'}\n${2} | ${'y'}\n`('works $a', ({ a, b }) => {\n  expect(a).toBe(b)\n})",
            ("a", "b"),
            [["1", "'x'"], ["2", "'y'"]],
        ),
        ("it.each(rows())('works %i', (a) => {\n  expect(a).toBe(1)\n})", ("a",), []),
    ],
)
def test_a_table_gives_its_parameters_and_its_written_rows(source, parameters, rows):
    found = declared(source)
    assert (found.parameters, [[shown(each) for each in row] for row in found.rows]) == (parameters, rows)


def test_a_loop_around_a_test_gives_its_parameters():
    source = "for (const n of [1, 2]) {\n  it(`works ${n}`, () => {\n    expect(f(n)).toBe(1)\n  })\n}"
    test = Test("id", "a.test.js", (), "`works ${n}`", 2, 2, 4, "javascript", "jest", "", dynamic=True)
    assert javascript_evidence("a.test.js", source.encode(), tests=[test], read=lambda _: None)["id"].parameters == (
        "n",
    )


@pytest.mark.parametrize(
    ("source", "name", "line", "end"),
    [
        ("exports = {\n  'works': function () {\n    expect(a).toBe(1)\n  }\n}", "works", 2, 4),
        ("it('other', () => { expect(a).toBe(2) }); it('works', () => { expect(a).toBe(1) })", "works", 1, 1),
        ("it('works', { timeout: 5 }, async () => {\n  expect(a).toBe(1)\n})", "works", 1, 3),
        ("it('works', wrapped(async () => {\n  expect(a).toBe(1)\n}))", "works", 1, 3),
        ("describe('x', () => it('works', () => expect(a).toBe(1)))", "works", 1, 1),
        ("\ufeffit('works', () => {\r\n  expect(a).toBe(1)\r\n})", "works", 1, 3),
        ("it('works', check)\nfunction check() { expect(a).toBe(1) }", "works", 1, 1),
    ],
)
def test_a_test_is_found_again_by_its_lines_and_name(source, name, line, end):
    test = Test("id", "a.test.js", (), name, line, line, end, "javascript", "jest", "")
    found = javascript_evidence("a.test.js", source.encode(), tests=[test], read=lambda _: None)["id"]
    assert [said(each) for each in found.claims] == ["equals a | 1"]


def test_source_in_a_wide_encoding_is_read():
    test = Test("id", "a.test.js", (), "works", 1, 1, 1, "javascript", "jest", "")
    source = "it('works', () => { expect(a).toBe(1) })".encode("utf-16")
    found = javascript_evidence("a.test.js", source, tests=[test], read=lambda _: None)["id"]
    assert [said(each) for each in found.claims] == ["equals a | 1"]


def test_tests_declared_inside_a_test_keep_their_claims():
    source = "test('outer', async (t) => {\n  t.assert.equal(a, 1)\n  await t.test('inner', () => {\n    assert.equal(b, 2)\n  })\n})"
    tests = [
        Test("outer", "a.test.js", (), "outer", 1, 1, 6, "javascript", "node", ""),
        Test("inner", "a.test.js", ("outer",), "inner", 3, 3, 5, "javascript", "node", ""),
    ]
    found = javascript_evidence("a.test.js", source.encode(), tests=tests, read=lambda _: None)
    assert {key: [said(each) for each in value.claims] for key, value in found.items()} == {
        "outer": ["equals a | 1"],
        "inner": ["equals b | 2"],
    }


def test_a_test_that_is_not_found_is_marked_and_keeps_its_name():
    test = Test("id", "a.test.js", ("s",), "works", 40, 40, 41, "javascript", "jest", "")
    found = javascript_evidence("a.test.js", b"it('x', () => {})", tests=[test], read=lambda _: None)["id"]
    assert (found.name, found.suite, found.reasons, found.free_text_name) == (
        "works",
        ("s",),
        ("unresolvable_value",),
        True,
    )


@pytest.mark.parametrize(
    "body",
    [
        "expect(" + "(" * 500 + "a" + ")" * 500 + ").toBe(1)",
        "expect(" + "a + " * 5000 + "a).toBe(1)",
        "expect(a" + ".b" * 3000 + ").toBe(1)",
        "if (a) {" * 300 + "expect(a).toBe(1)" + "}" * 300,
        "f(" * 400 + ")" * 400,
        "expect([" * 300 + "]" * 300 + ").toEqual(1)",
        "const " + "{a:" * 200 + "b" + "}" * 200 + " = f(); expect(b).toBe(1)",
        "expect(a.toBe(1",
        "expect(a).toBe(1",
        "} } } expect(",
        "expect(a)..toBe(1); const = ; class {",
        "\x00\x00 expect(a).toBe('\\u{ffffffff}')",
    ],
    ids=[
        "parens",
        "sum",
        "members",
        "ifs",
        "calls",
        "arrays",
        "pattern",
        "open",
        "unclosed",
        "braces",
        "broken",
        "nul",
    ],
)
def test_deep_or_broken_source_is_read_as_far_as_it_goes(body):
    found = evidence(body)
    assert found.test_id == "id"
    assert found == evidence(body)


def test_broken_syntax_after_an_assertion_leaves_the_assertion():
    assert claims("expect(a).toBe(1)\nconst = ;") == ["equals a | 1"]


def test_a_recursive_helper_ends():
    assert claims("again(q)", "function again(n) { expect(n).toBe(1); again(n.next) }") == [
        "equals q | 1 [via again]",
        "equals q.next | 1 [via again]",
        "?",
    ]


TABLES = {
    "for (const t of [{ a: 1 }, { a: 2 }]) {": (("t",), ["{'a': 1}", "{'a': 2}"]),
    "const rows = { x: 1, y: 2 }; for (const key in rows) {": (("key",), ["'x'", "'y'"]),
    "const rows = { x: 1, y: 2 }; for (const [key, value] of Object.entries(rows)) {": (
        ("key", "value"),
        ["'x' 1", "'y' 2"],
    ),
    "for (const [a, b] of [[1, 2], [3, 4]]) {": (("a", "b"), ["1 2", "3 4"]),
    "for (const one of [['a'], ['b', 'c']]) {": (("one",), ["['a']", "['b', 'c']"]),
    "for (const name of [{ name: 1 }]) {": (("name",), ["{'name': 1}"]),
    "for (const t of [...more, 1]) {": (("t",), []),
    "const rows = [1]; rows.push(2); for (const t of rows) {": (("t",), []),
    "let rows = [1]; for (const t of rows) {": (("t",), ["1"]),
    "let rows = [1]; rows = load(); for (const t of rows) {": (("t",), []),
    "let rows = [1]; const more = () => { rows = load(); }; for (const t of rows) {": (("t",), []),
    "for (const t of make()) {": (("t",), []),
}


@pytest.mark.parametrize("loop", TABLES)
def test_rows_of_a_loop_around_a_test_are_read_where_they_are_written_out(loop):
    found = declared(f"{loop} it('works', () => {{ expect(1).toBe(1) }}) }}")
    said = [" ".join(shown(value) for value in row) for row in found.rows]
    assert (found.parameters, said) == TABLES[loop]


def test_a_branch_that_fails_is_quoted_with_its_failure():
    found = evidence("if (argv.b) { expect.fail() }")
    assert [claim.quote for claim in found.claims] == ["if (argv.b) { expect.fail() }"]


def test_a_table_is_the_constant_of_its_own_suite():
    source = "describe('a', () => { const rows = [1] }); describe('b', () => { const rows = [2]; "
    found = declared(f"{source} for (const t of rows) {{ it('works', () => {{ expect(t).toBe(1) }}) }} }})")
    assert [shown(row[0]) for row in found.rows] == ["2"]


@pytest.mark.parametrize(
    ("source", "markers", "expects"),
    [
        ("it.fails('works', () => {\n})", ("fails",), "fail"),
        ("test.failing('works', () => {\n})", ("failing",), "fail"),
        ("it('works', { fails: true, retry: 2 }, () => {\n})", ("fails",), "fail"),
        ("it('works', { fails: flaky, skip: true }, () => {\n})", ("skip",), "pass"),
        ("test('works', () => {\n  test.fail()\n})", ("fail",), "fail"),
        ("test('works', ({ browserName }) => {\n  test.fail(browserName === 'webkit')\n})", (), "either"),
        ("describe.skip('s', () => {\n  it('works', () => {\n  })\n})", ("skip",), "pass"),
        ("xit('works', () => {\n})", ("skip",), "pass"),
        ("it('works', () => {\n})", (), "pass"),
    ],
)
def test_a_declaration_says_what_the_runner_expects(source: str, markers: tuple[str, ...], expects: str) -> None:
    end = next(at for at, line in enumerate(source.split("\n"), 1) if line.strip() == "})")
    line = next(at for at, text in enumerate(source.split("\n"), 1) if "works" in text)
    test = Test("t", "a.test.js", (), "works", line, line, end, "javascript", "vitest", "v1:0")
    found = javascript_evidence("a.test.js", source.encode(), tests=[test], read=lambda _: None)["t"]
    assert (found.markers, found.expects) == (markers, expects)


def test_what_is_expected_inside_an_expected_failure_is_inverted() -> None:
    found = evidence("expect(() => { expect(a).toBe(1) }).toThrow(); expect(b).toBe(2)").claims
    assert [(one.relation, one.inverted) for one in found] == [("raises", False), ("equals", True), ("equals", False)]


def test_a_block_that_must_fail_is_quoted_with_what_it_ends_with():
    body = "try { await parsed; throw Error('unreachable') } catch (err) { expect(err.message).toBe('no') }"
    raised, _ = evidence(body).claims
    assert raised.quote == "try { await parsed; throw Error('unreachable') }"
