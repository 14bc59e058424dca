"""Whether a failure of a request that supertest makes reaches the test."""

import pytest

from tests.repo.javascript.strength_cases import became, body

HEAD = """const request = require('supertest');
function finish (done) { return function () { done(); }; }
function passing (done) { return function (error) { done(error); }; }
"""


def requested(end: str, kind: str = "function (done)", start: str = "") -> str:
    return f"{HEAD}it('answers', {kind} {{\n{start} request(app).get('/').set('a', 'b'){end}\n}});\n"


TEST = requested(".expect(200, 'x', done)")


@pytest.mark.parametrize(
    "end",
    [
        ".expect(200, 'x').end(() => done())",
        ".expect(200, 'x').end(function (err, res) { done(); })",
        ".expect(200, 'x', function (err) { if (err) console.warn(err.message); done(); })",
        ".expect(200, 'x', function (err) { console.warn(String(err)); done(); })",
        ".expect(200, 'x', () => {});\n setTimeout(done, 10)",
        ".expect(200, 'x', function () {});\n done()",
        ".expect(200, 'x', finish(done))",
        ".expect(200, 'x').end();\n done()",
    ],
)
def test_a_request_whose_error_its_callback_drops_is_an_error(end):
    assert became(TEST, requested(end)) == "error unawaited"


@pytest.mark.parametrize("kind", ["function ()", "async () =>"])
def test_a_request_that_is_never_sent_is_an_error(kind):
    assert became(TEST, requested(".expect(200, 'x')", kind)) == "error unawaited"


@pytest.mark.parametrize(
    "end",
    [
        ".expect(200, 'x').end(done)",
        ".expect(200, 'x').end((err) => done(err))",
        ".expect(200, 'x').end(function (err, res) { if (err) throw err; done(); })",
        ".expect(200, 'x').end(function (err, res) { if (err) return done(err); done(); })",
        ".expect(200, 'x').end(function (err, res) { if (err) done(new Error('no')); else done(); })",
        ".expect(200, 'x').end(function (...given) { done(...given); })",
        ".expect(200, 'x', passing(done))",
        ".expect(200, 'x').end((err) => { server.close(() => done(err)); })",
    ],
)
def test_a_callback_that_hands_its_error_on_is_silent(end):
    assert became(TEST, requested(end)) == "silent"


@pytest.mark.parametrize(
    ("kind", "start"), [("async () =>", "await"), ("() =>", "return"), ("async () =>", "const sent =")]
)
def test_a_request_that_is_awaited_or_kept_is_silent(kind, start):
    assert became(TEST, requested(".expect(200, 'x')", kind, start)) == "silent"


def test_a_request_held_by_a_name_may_end_where_another_line_sends_it():
    held = "it('answers', (done) => {\n const sent = request(app).get('/');\n sent.expect(200, 'x'"
    end = ").end(done);\n});\n"
    assert became(HEAD + held + ", done);\n});\n", HEAD + held + end) == "silent"


SERVING = """
function serve (opts) {
  const one = typeof opts !== 'function' ? parse(opts) : opts;
  return http.createServer(function (req, res) {
    one(req, res, function (err) { res.statusCode = err ? 500 : 200; res.end(); });
  });
}
"""


def test_a_server_that_answers_by_what_it_is_given_replaces_nothing():
    plain = HEAD + SERVING + "it('answers', (done) => {\n request(serve()).get('/').expect(200, 'x', done);\n});\n"
    assert became(plain.replace("const one", "var one").replace("const request", "var request"), plain) == "silent"


def test_a_method_that_a_test_replaces_in_a_callback_still_counts():
    plain = "load(1, (first) => { expect(shop.price(1)).toBe(2); });"
    faked = "load(1, (first) => { shop.price = () => 2; expect(shop.price(1)).toBe(2); });"
    assert became(body(plain), body(faked)).startswith("error")
