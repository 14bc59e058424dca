'use strict'
const { describe: suite, specify } = require('mocha')
const assert = require('node:assert')
const behavesLikeStore = require('./support/store')

suite('Account', function () {
  before(function () {
    if (!process.env.DB) this.skip()
  })

  context('when it is closed', () => {
    specify('refuses a booking', function (done) {
      this.timeout(500)
      done()
    }).timeout(1000)
    it('keeps its balance')
  })

  behavesLikeStore(() => new Map())
  require('./support/audit').audited()

  ;[1, 2, 3].forEach(function (amount) {
    it('books ' + amount, () => assert.ok(amount))
  })

  Object.keys(currencies).map((code) => xit(`knows ${code}`, () => {}))

  function rejects(name, input) {
    it('rejects ' + name, () => assert.throws(() => book(input)))
  }
  rejects('text', 'x')
  rejects('nothing')
})
