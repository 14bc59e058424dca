const one = require('lib/one')
const all = require('../lib')
const itself = require('old/lib/one')
test('one', () => one + all + itself)
