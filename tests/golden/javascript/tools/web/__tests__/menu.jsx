// @flow
import { menu } from '../menu'

const open = (name: string): boolean => menu.open(name)

fdescribe('menu', () => {
  test.each([
    { name: 'file', keys: 2 },
    { name: 'edit', keys: 3 },
  ])('$name opens with $keys keys', ({ name }) => {
    expect(open(name)).toBe(true)
  })
  test.failing('help opens', () => {})
  xtest('view opens', () => {})
})
