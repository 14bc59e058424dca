// @atom IA-FILE
import { beforeEach, describe, expect, it, test as base } from 'vitest'
import { Basket } from './basket'
import { itInEveryCurrency, describeBasket } from './testing'

const test = base.extend<{ basket: Basket }>({
  basket: async ({}, use) => {
    await use(new Basket())
  },
})
const maybeIt = process.env.CI ? it : it.skip
const PRICES = [
  [1, '1.00'],
  [2, '2.00'],
] as const

/** What a basket costs. @atom is only a word here. */
describe(Basket.name, () => {
  beforeEach(() => {
    Basket.reset()
  })

  // @atom IA-7F3KQ9T, IA-2M8QD1R
  it("doesn't cost anything while it's empty", () => {
    expect(new Basket().total()).toBe('0.00')
  })

  it.each(PRICES)('formats %d as %s', (price, text) => {
    expect(new Basket([price]).total()).toBe(text)
  })

  describe.each`
    country | rate
    ${'de'} | ${0.19}
    ${'ch'} | ${0.081}
    ${'us'} | ${rateOf('us')}
  `('in $country', ({ country, rate }) => {
    it('adds the tax', () => {
      expect(new Basket([1], country).tax()).toBe(rate)
    })
    it.todo('shows the tax')
  })

  for (const currency of currencies()) {
    it.concurrent(`rounds ${currency}`, async () => {
      expect(await new Basket([1.005]).in(currency)).toMatchSnapshot()
    })
  }

  maybeIt('survives a reload', () => {})
  test.skipIf(process.platform === 'win32').fails(
    'can be shared',
    { tags: ['@IA-9XK2M4P', 'slow'] },
    async ({ basket }) => {
      expect(basket.link()).toBeDefined()
    },
  )
})

describe('discounts', () => {
  it('takes off ten percent', () => {})
  it('takes off ten percent', () => {})
})

itInEveryCurrency('never goes below zero', (currency) => {
  expect(new Basket([], undefined, currency).total()).toContain('0')
})

describeBasket('with a voucher', () => {
  it('shows the voucher', () => {})
})

const sample = `it('is only text', () => {})`
expect(/it/.test(sample)).toBe(true)
