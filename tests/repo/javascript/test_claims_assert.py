import pytest

from tests.repo.javascript.claim_text import claims

NODE = {
    "assert(a)": ["truthy a"],
    "assert(!a)": ["not truthy a"],
    "assert(a === 1)": ["equals a | 1"],
    "assert(a && b > 2)": ["truthy a", "greater b | 2"],
    "assert(a === '' || a === undefined)": ["equals a | '' or undefined a"],
    "assert.ok(a, 'a is there')": ["truthy a"],
    "assert.equal(a, 1)": ["equals a | 1"],
    "assert.strictEqual(a, b)": ["same a | b"],
    "assert.strictEqual(200, res.status)": ["equals res.status | 200"],
    "assert.deepStrictEqual(a, { b: 1 })": ["equals a | {'b': 1}"],
    "assert.notStrictEqual(a, 1)": ["not equals a | 1"],
    "assert.throws(() => f(), /bad/)": ["raises Error | f() match=/bad/"],
    "assert.throws(() => f(), TypeError)": ["raises TypeError | f()"],
    "assert.throws(() => f(), 'it should fail')": ["raises Error | f()"],
    "assert.throws(() => f(), { name: 'RangeError', message: 'bad', code: 'E1', extra: 2 })": [
        "raises RangeError | f() message='bad' code='E1'",
        "equals raised(RangeError).extra | 2",
    ],
    "await assert.rejects(f(1), HttpError)": ["raises HttpError | f(1)"],
    "assert.doesNotThrow(() => f())": ["completes f()"],
    "assert.match(a, /x/)": ["matches a | /x/"],
    "assert.ifError(err)": ["none err | null"],
    "assert.strict.equal(a, b)": ["same a | b"],
    "assert.equal(a, b); assert.notEqual(a, c)": ["same a | b", "not same a | c"],
    "assert.fail('never')": [],
    "assert.equal(typeof a, 'string')": ["instance_of a | string"],
    "assert.strictEqual(a.hasOwnProperty('b'), true)": ["has_property a | 'b'"],
    "assert(Object.prototype.hasOwnProperty.call(a, 'b'))": ["has_property a | 'b'"],
    "t.assert.strictEqual(a, 1)": ["equals a | 1"],
    "t.is(a, 1)": ["equals a | 1"],
    "t.deepEqual(a, [1])": ["equals a | [1]"],
    "t.true(a)": ["equals a | true"],
    "t.strictSame(a, b)": ["equals a | b"],
    "t.type(a, 'string')": ["instance_of a | string"],
    "t.type(a, Foo)": ["instance_of a | Foo"],
}
CHAI_ASSERT = {
    "assert.isTrue(a)": ["equals a | true"],
    "assert.isFalse(a.b)": ["equals a.b | false"],
    "assert.isNull(a)": ["none a | null"],
    "assert.isDefined(a)": ["not undefined a"],
    "assert.lengthOf(a, 3)": ["length a | 3"],
    "assert.include(a, 'x')": ["contains a | 'x'"],
    "assert.property(a, 'b')": ["has_property a | 'b'"],
    "assert.propertyVal(a, 'b', 1)": ["has_property a | 'b' value=1"],
    "assert.isAbove(a, 1)": ["greater a | 1"],
    "assert.typeOf(a, 'string')": ["instance_of a | string"],
    "assert.instanceOf(a, Foo)": ["instance_of a | Foo"],
    "assert.sameMembers(a, [1, 2])": ["equals a | [1, 2]"],
    "assert.closeTo(a, 1, 0.1)": ["approximately a | 1 tolerance=0.1"],
    "assert.throws(() => f(), Error, 'bad')": ["raises Error | f() match='bad'"],
    "assert.isEmpty(a)": ["empty a"],
    "assert.exists(a)": ["exists a"],
    "assert.oneOf(a, [1, 2])": ["contained_in a | [1, 2]"],
    "chai.assert.equal(a, 1)": ["equals a | 1"],
}
CHAI = {
    "expect(a).to.equal(1)": ["equals a | 1"],
    "expect(a).to.deep.equal({ b: 1 })": ["equals a | {'b': 1}"],
    "expect(a).to.equal(b)": ["same a | b"],
    "expect(a).to.not.equal(1)": ["not equals a | 1"],
    "expect(a).to.be.true": ["equals a | true"],
    "expect(a).to.be.undefined": ["undefined a"],
    "expect(a).to.be.ok": ["truthy a"],
    "expect(a).to.be.empty": ["empty a"],
    "expect(a).to.exist": ["exists a"],
    "expect(a).to.be.a('string')": ["instance_of a | string"],
    "expect(a).to.be.an.instanceof(Foo)": ["instance_of a | Foo"],
    "expect(a).to.have.property('b').that.equals(3)": ["has_property a | 'b'", "equals a.b | 3"],
    "expect(a).to.have.property('b', 3).and.not.have.property('c')": [
        "has_property a | 'b' value=3",
        "not has_property a.b | 'c'",
    ],
    "expect(a).to.have.lengthOf(2)": ["length a | 2"],
    "expect(a).to.have.length.above(2)": ["greater a.length | 2"],
    "expect(a).to.include('x')": ["contains a | 'x'"],
    "expect(a).to.have.all.keys('b', 'c')": ["has_property a | 'b'", "has_property a | 'c'"],
    "expect(a).to.have.any.keys('b', 'c')": ["satisfies «expect(a).to.have.any.keys('b', 'c')»", "?"],
    "expect(a).to.include.members([1])": ["contains a | 1"],
    "expect(a).to.be.within(1, 5)": ["at_least a | 1", "at_most a | 5"],
    "expect(a).to.be.at.least(1)": ["at_least a | 1"],
    "expect(a).to.match(/x/)": ["matches a | /x/"],
    "expect(() => f()).to.throw(TypeError, /bad/)": ["raises TypeError | f() match=/bad/"],
    "expect(function () { f(1) }).to.throw('bad')": ["raises Error | f(1) match='bad'"],
    "expect(() => f()).to.not.throw()": ["completes f()"],
    "expect(f()).to.be.rejectedWith(HttpError)": ["raises HttpError | f()"],
    "expect(f()).to.eventually.equal(1)": ["equals f() | 1"],
    "a.should.equal(1)": ["equals a | 1"],
    "a.should.have.property('b')": ["has_property a | 'b'"],
    "a.b.should.be.an.Array()": ["instance_of a.b | array"],
    "(await f()).should.be.ok": ["truthy f()"],
    "should.not.exist(err)": ["not exists err"],
    "should(a).be.exactly(1)": ["equals a | 1"],
    "res.should.have.status(200)": ["equals res.status | 200"],
    "expect(res).to.have.header('x-id', '1')": ["equals res.headers['x-id'] | '1'"],
    "expect(a).to.be(5)": ["equals a | 5"],
    "expect(a).to.eql([1])": ["equals a | [1]"],
}
SUPERTEST = {
    "request(app).get('/x').expect(200, done)": ["equals response.status | 200"],
    "request(app).get('/x').expect('Content-Type', /json/)": ["matches response.headers['Content-Type'] | /json/"],
    "request(app).get('/x').expect('hi', done)": ["equals response.body | 'hi'"],
    "request(app).get('/x').expect(200, { a: 1 }).end(done)": [
        "equals response.status | 200",
        "equals response.body | {'a': 1}",
    ],
    "request(app).get('/x').expect(204, '', done)": ["equals response.status | 204", "empty response.body"],
    "request(app).get('/x').expect(/hello/)": ["matches response.body | /hello/"],
    "request(app).get('/x').expect((res) => { assert.equal(res.body.id, 1) })": ["equals response.body.id | 1"],
    "request(app).get('/x').end((err, res) => { if (err) return done(err); expect(res.text).toBe('x'); done() })": [
        "equals res.text | 'x'"
    ],
    "const call = request(app).post('/x'); call.expect(413, done)": ["equals response.status | 413"],
}
UVU = "import { is, equal, not, throws, type, unknown } from 'uvu/assert'"
ALL = [*NODE.items(), *CHAI_ASSERT.items(), *CHAI.items(), *SUPERTEST.items()]


@pytest.mark.parametrize(("body", "expected"), ALL, ids=[body for body, _ in ALL])
def test_an_assertion_of_any_style_becomes_the_same_claims(body, expected):
    assert claims(body) == expected


@pytest.mark.parametrize(
    ("before", "body", "expected"),
    [
        ("import { strictEqual as eq } from 'node:assert'", "eq(a, 1)", ["equals a | 1"]),
        ("import check from 'assert/strict'", "check.equal(a, 1)", ["equals a | 1"]),
        ("const { deepEqual } = require('assert')", "deepEqual(a, [1])", ["equals a | [1]"]),
        ("import { assertEquals, assertThrows } from 'jsr:@std/assert'", "assertEquals(a, 1)", ["equals a | 1"]),
        ("import { assert as check } from 'chai'", "check.isTrue(a)", ["equals a | true"]),
        ("", "equal(a, 1)", []),
        (UVU, "is(a, b); equal(a, b); type(a, 'undefined')", ["same a | b", "equals a | b", "undefined a"]),
        (UVU, "not(a); not.equal(a, b); is.not(a, b)", ["not truthy a", "not equals a | b", "not same a | b"]),
        (UVU, "throws(() => f(), 'bad')", ["raises Error | f() match='bad'"]),
        (UVU, "not.throws(() => f()); unknown(a)", ["completes f()", "satisfies «unknown(a)»", "?"]),
        ("import * as assert from 'uvu/assert'", "assert.not.match(a, /x/)", ["not matches a | /x/"]),
        ("import { assert } from 'chai'", "assert.throws(() => f(), 'bad')", ["raises Error | f() match='bad'"]),
        ("import assert from 'assert'", "assert.throws(() => f(), 'bad')", ["raises Error | f()"]),
    ],
)
def test_assertion_functions_are_known_by_what_they_import(before, body, expected):
    assert claims(body, before) == expected
