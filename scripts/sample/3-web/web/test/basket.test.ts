import { describe, expect, it } from 'vitest'

import { Basket } from '../src/basket'

describe('Basket', () => {
  it('is empty before the first article is added', () => {
    const basket = new Basket()
    expect(basket.count).toBe(0)
    expect(basket.total()).toBe(0)
  })

  it('adds to the quantity when an article comes twice', () => {
    const basket = new Basket()
    basket.add('stamp', 95)
    basket.add('stamp', 95, 2)
    expect(basket.count).toBe(3)
  })

  it.each([
    [0, 1000],
    [10, 900],
    [100, 0],
  ])('takes %i percent off the total', (percent, expected) => {
    const basket = new Basket()
    basket.add('box', 500, 2)
    expect(basket.total(percent)).toBe(expected)
  })

  describe('with a wrong quantity', () => {
    it('throws a RangeError', () => {
      expect(() => new Basket().add('box', 500, 0)).toThrow(/quantity must be positive/)
    })
  })
})
