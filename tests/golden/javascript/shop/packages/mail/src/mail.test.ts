export type * from './types'

interface Producer<out T> {
  make: () => T
}

it('sends a receipt', () => {})

describe('broken', () => {
  it('is still found', () => {})
  const = 1
})
