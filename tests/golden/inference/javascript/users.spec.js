'use strict'

const assert = require('node:assert')
const { expect } = require('chai')
const sinon = require('sinon')
const request = require('supertest')
const app = require('../app')
const checks = require('./support/responses')

describe('GET /users/:id', function () {
  it('should answer with the user', function (done) {
    request(app)
      .get('/users/7')
      .expect('Content-Type', /json/)
      .expect(200, { id: 7, name: 'Ann' }, done)
  })

  it('should not leak the password', function (done) {
    request(app)
      .get('/users/7')
      .expect(checks.shouldNotHaveHeader('X-Password'))
      .end(function (err, res) {
        if (err) return done(err)
        assert.strictEqual(res.body.password, undefined)
        done()
      })
  })

  it('should refuse a stranger', async function () {
    const res = await request(app).get('/users/8')
    assert.equal(res.status, 403)
    assert(!res.body.name)
  })

  it('should complain about a bad id', function () {
    assert.throws(() => app.parseId('x'), { name: 'TypeError', message: 'id must be a number', code: 'E_ID' })
    assert.deepStrictEqual(app.parseId('7'), { id: 7 })
  })

  it('should call back without an error', function (done) {
    app.load(7, function (err, user) {
      assert.ifError(err)
      assert.ok(user.isActive)
      done()
    })
  })
})

describe('accounts', () => {
  it('has an owner', () => {
    const account = open('Ann')
    expect(account).to.have.property('owner').that.equals('Ann')
    expect(account.tags).to.be.empty
    expect(account.balance).to.be.within(0, 10)
    account.should.not.have.property('password')
  })

  it('throws on an empty name', () => {
    try {
      open('')
      expect.fail('should not get here')
    } catch (error) {
      expect(error).to.be.an.instanceof(NameError)
      expect(error.message).to.match(/empty/)
    }
  })

  it('logs once', () => {
    const log = sinon.spy()
    open('Ann', log)
    sinon.assert.calledOnce(log)
    sinon.assert.calledWith(log, 'opened')
  })
})
