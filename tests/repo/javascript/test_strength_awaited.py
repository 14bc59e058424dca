"""Tests whose callbacks became awaited calls: what only a callback had to be asked needs no assertion any more."""

import pytest

from pactkeeper.intent.strength.review import reviewed, since_review
from tests.repo.javascript.project import JEST, NODE
from tests.repo.javascript.strength_cases import became, strengths

HEAD = "const test = require('node:test');\nconst { app, get } = require('../src/app');\n"


def declared(parameters: str, statements: str, *, kind: str = "") -> str:
    return f"{HEAD}\ntest('answers', {kind}({parameters}) => {{\n{statements}\n}});\n"


CALLED = declared(
    "t, done",
    """t.plan(4);
    app.listen({ port: 0 }, (err) => {
      t.assert.ifError(err);
      get({ method: 'GET', url: app.url() + '/a' }, (err, response, body) => {
        t.assert.ifError(err);
        t.assert.strictEqual(response.statusCode, 200);
        t.assert.strictEqual(body.toString(), 'hello');
        done();
      });
    });""",
)
AWAITED = """const url = await app.listen({ port: 0 });
    const result = await fetch(url + '/a');
    %s"""
WHOLE = "t.assert.strictEqual(result.status, 200);\nt.assert.strictEqual(await result.text(), 'hello');"


@pytest.mark.parametrize("more", ["", "t.plan(2);", "t.assert.ok(result.ok);"])
def test_awaited_calls_report_no_error_and_need_no_count(more):
    after = declared("t", AWAITED % (more + WHOLE), kind="async ")
    assert became(CALLED, after, runner=NODE).startswith("warning")


@pytest.mark.parametrize(
    "after",
    [
        CALLED.replace("        t.assert.ifError(err);\n", ""),
        declared("t", "let at = 0;\nsetTimeout(() => { t.assert.equal(at, 0); }, 5);\nat = 1;"),
        CALLED.replace("        t.assert.strictEqual(response.statusCode, 200);\n", ""),
        declared("t", AWAITED % "t.assert.strictEqual(result.status, 200);", kind="async "),
        declared("t", "const url = await app.listen({ port: 0 });\nt.assert.ok(url);", kind="async "),
    ],
    ids=["no-error-asked", "all", "status", "body", "no-call"],
)
def test_what_a_callback_asserted_besides_is_lost_all_the_same(after):
    assert became(CALLED, after, runner=NODE).startswith("error")


def test_a_callback_that_still_asserts_needs_its_count():
    asked = "app.get('/a', (req, reply) => { t.assert.ok(req.raw); reply.send('hello'); });\n"
    before = CALLED.replace("t.plan(4);", f"t.plan(5);\n{asked}")
    counted = declared("t", f"t.plan(3);\n{asked}{AWAITED % WHOLE}", kind="async ")
    uncounted = declared("t", f"{asked}{AWAITED % WHOLE}", kind="async ")
    assert became(before, counted, runner=NODE).startswith("warning")
    assert became(before, uncounted, runner=NODE).startswith("warning")
    assert became(counted, uncounted, runner=NODE) == "error removed"


def test_an_error_passed_on_to_a_promise_is_heard():
    before = declared(
        "t, done", "get('/a', (err, rows) => { t.assert.ifError(err); t.assert.equal(rows.length, 2); done(); });"
    )
    after = "const rows = await new Promise((resolve, reject) => {\n%s\n});\nt.assert.equal(rows.length, 2);"
    rejected = "get('/a', (err, rows) => { if (err) return reject(err); resolve(rows); });"
    dropped = "get('/a', (err, rows) => { resolve(rows); });"
    assert became(before, declared("t", after % rejected, kind="async "), runner=NODE) == "silent"
    assert became(before, declared("t", after % dropped, kind="async "), runner=NODE) == "warning changed"


def test_the_error_of_a_call_that_is_not_made_any_more_becomes_that_of_another_one():
    asked = "get({ url: '/a' }, (err) => {\nt.assert.strictEqual(err.code, 'ECONNRESET');\ndone();\n});"
    after = "await t.assert.rejects(fetch('/a'));"
    assert became(declared("t, done", asked), declared("t", after, kind="async "), runner=NODE).startswith("warning")
    gone = "t.assert.ok(await fetch('/a'));"
    assert became(declared("t, done", asked), declared("t", gone, kind="async "), runner=NODE).startswith("error")


def test_nothing_waits_for_a_callback_that_no_longer_tells_that_it_is_done():
    asked = "let at = 0;\nsetTimeout(() => { t.assert.equal(at, 1); %s }, 5);\nat = 1;"
    before, after = declared("t, done", asked % "done();"), declared("t", asked % "", kind="async ")
    assert became(before, after, runner=NODE) == "error unawaited"


HANDLED = "let made = null;\ntry {\nmade = app();\n} catch (e) {\n%s\n}\nt.assert.equal(made.name, 'a');"


def test_a_handler_that_only_fails_expects_no_error_even_if_assertions_are_counted():
    before, after = (declared("t", f"t.plan(1);\n{HANDLED % fails}") for fails in ("t.fail()", "t.assert.fail()"))
    assert became(before, after, runner=NODE) == "silent"


def test_without_the_handler_an_error_ends_the_test_as_well():
    before = declared("t", HANDLED % "t.assert.fail()")
    plain = "const made = app();\nt.assert.equal(made.name, 'a');"
    assert became(before, declared("t", plain), runner=NODE) == "silent"
    assert became(before, declared("t", HANDLED % ""), runner=NODE).startswith("error")


LOOPED = "const rows = get();\n%s { for (const row of rows) t.assert.equal(row.name, 'a'); }"


@pytest.mark.parametrize("condition", ["rows.length > 0", "rows.length", "rows.length >= 1"])
def test_a_loop_over_what_is_not_empty_has_no_condition(condition):
    before = declared("t", LOOPED % "")
    assert became(before, declared("t", LOOPED % f"if ({condition})"), runner=NODE) == "silent"


@pytest.mark.parametrize("condition", ["rows.length > 1", "rows", "other.length"])
def test_a_loop_under_any_other_condition_is_conditional(condition):
    before = declared("t", LOOPED % "")
    assert became(before, declared("t", LOOPED % f"if ({condition})"), runner=NODE) == "error conditional"


FLAGGED = "let ready = false;\napp.ready(() => { ready = true; });\nawait app.close();\nt.assert.%s;"


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("strictEqual(ready, true)", "ok(ready)", "warning loosened"),
        ("strictEqual(app.state(), true)", "ok(app.state())", "error loosened"),
    ],
)
def test_a_variable_that_the_test_sets_to_true_may_be_asked_for_its_truth(before, after, told):
    changed = (declared("t", FLAGGED % one, kind="async ") for one in (before, after))
    assert became(*changed, runner=NODE) == told


def test_what_a_handler_did_with_the_error_goes_with_it():
    before = declared("t", "return app.ready().then(() => t.pass()).catch((e) => { log(e); t.assert.fail(); });")
    assert became(before, declared("t", "await app.ready();", kind="async "), runner=NODE) == "silent"
    tried = "const text = app.text();\ntry {\nJSON.parse(text);\n} catch (e) {\nt.assert.fail();\n}\nt.assert.equal(text, 'a');"
    plain = "const text = app.text();\nt.assert.doesNotThrow(() => JSON.parse(text));\nt.assert.equal(text, 'a');"
    assert became(declared("t", tried), declared("t", plain), runner=NODE) == "silent"


def test_a_function_of_a_package_that_is_handed_the_test_may_assert():
    before = declared("t", "t.assert.deepEqual(app({ a: 1 }), { a: 1, b: 2 });")
    after = declared("t", "const made = app({ a: 1 });\n%s(made, { a: 1, b: 2 }%s);")
    package, own = (f"const match = require('{one}');\n" for one in ("assert-match", "../src/match"))
    assert became(before, package + after % ("match", ", t"), runner=NODE) == "warning removed"
    assert became(before, package + after % ("match", ""), runner=NODE).startswith("error")
    assert became(before, own + after % ("match", ", t"), runner=NODE).startswith("error")


def test_a_file_removed_by_force_as_before_is_no_event():
    removed = "await fs.rm(%s, { force: true });\nt.assert.equal(app(), 1);"
    before, after = (declared("t", removed % path, kind="async ") for path in ("made.path", "path"))
    assert became(before, after, runner=NODE) == "silent"


def test_the_equality_of_another_library_is_looser_in_a_renamed_test_too():
    names = ("const { is } = require('uvu/assert');\n", "const { equal } = require('assert');\n")
    before = names[0] + declared("", "is(app(), 2);")
    after = names[1] + declared("", "equal(app(), 2);").replace("'answers'", "'answers at once'")
    assert became(before, after, runner=NODE) == "warning loosened"


def test_a_handler_of_tap_says_what_one_of_node_says():
    tried = "try {\nawait app.ready();\nt.fail('should throw');\n} catch (error) {\n%s\n}"
    tap = "t.type(error, Mixed);\nt.equal(error.message, 'mixed');"
    node = "t.assert.ok(error instanceof Mixed);\nt.assert.strictEqual(error.message, 'mixed');"
    before, after = (declared("t", tried % one, kind="async ") for one in (tap, node))
    assert became(before, after, runner=NODE) == "silent"
    less = declared("t", tried % "t.assert.ok(error instanceof Mixed);", kind="async ")
    assert became(before, less, runner=NODE).startswith("error")


def planned(number: int, lines: int) -> str:
    """A test that plans a number of assertions and makes one for each of these lines."""
    asked = "".join(f"t.assert.equal(found[{at}], {at});\n" for at in range(lines))
    return declared("t, done", f"t.plan({number});\nget((found) => {{ {asked}done(); }});")


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ((2, 2), (3, 3), "silent"),
        ((3, 3), (3, 3), "silent"),
        ((2, 3), (3, 3), "silent"),
        ((3, 3), (2, 3), "warning expectation"),
        ((3, 3), (2, 2), "error removed"),
    ],
)
def test_a_planned_number_follows_the_assertions(before, after, said):
    assert became(planned(*before), planned(*after), runner=NODE) == said


def test_a_test_with_a_plan_may_be_split():
    (one,) = strengths({**NODE, "test/a.test.ts": planned(3, 3)}).values()
    (two,) = strengths({**NODE, "test/a.test.ts": planned(2, 2)}).values()
    rest = planned(1, 1).replace("found[0], 0", "found[2], 2")
    (three,) = strengths({**NODE, "test/a.test.ts": rest}).values()
    told = since_review(reviewed(one), two, test="works", others=[three])
    assert [change.severity for change in told if change.severity != "note"] == []


ASKING = "const request = require('supertest');\nconst app = require('../');\n\n{}"
ROWS = ASKING.format("[['/a', 'A'], ['/b', 'B']].forEach(([path, said]) => {{\n  it(`gets ${{path}}`, {}\n}});\n")
TOLD = "it('gets %s', (done) => {\n  request(app).get('%s').expect('Kind', '%s').expect(200, done);\n});\n"
FOLDED = {
    "async () => { await request(app).get(path).expect('Kind', said).expect(200); });": "silent",
    "() => request(app).get(path).expect('Kind', said).expect(200));": "silent",
    "(done) => { request(app).get(path).expect('Kind', said).expect(200, done); });": "silent",
    "async () => { await request(app).get(path).expect(200); });": "error deleted",
    "async () => { request(app).get(path).expect('Kind', said).expect(200); });": "warning deleted",
    "async () => { request(app).get(path).end((_, got) => { expect(got.status).toBe(200); }); });": "warning deleted",
}


@pytest.mark.parametrize(("folded", "told"), FOLDED.items())
def test_tests_that_were_told_when_they_are_done_may_become_rows_of_one_that_awaits(folded, told):
    before = ASKING.format("".join(TOLD % row for row in (("a", "/a", "A"), ("b", "/b", "B"))))
    assert became(before, ROWS.format(folded), runner=JEST) == told
