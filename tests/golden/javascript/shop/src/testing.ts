import { describe, it } from 'vitest'

export const itInEveryCurrency = (name: string, check: (currency: string) => void) => {
  it(`${name} in euros`, () => check('EUR'))
  it(`${name} in francs`, () => check('CHF'))
}

export function describeBasket(name: string, body: () => void) {
  describe(`basket ${name}`, () => {
    body()
    it('can be emptied', () => {})
  })
}
