import test, { describe, it } from 'node:test'
import assert from 'node:assert/strict'

test('clock', async (t) => {
  await t.test('starts at zero', () => {})
  for (const zone of zones) {
    await t.test(`knows ${zone}`, async (t) => {
      await t.test('in summer', { skip: !zone.summer }, () => {})
      t.skip('later')
    })
  }
  t.mock.timers.enable()
})

test(function ticks() {})
describe('alarm', { concurrency: true }, () => {
  it.todo('rings')
  it('stops', (t, done) => done())
})
