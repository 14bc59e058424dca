const assert = require('node:assert')

exports.shouldNotHaveHeader = function shouldNotHaveHeader (name) {
  return function (res) {
    assert.ok(!(name.toLowerCase() in res.headers), 'should not have ' + name)
  }
}
