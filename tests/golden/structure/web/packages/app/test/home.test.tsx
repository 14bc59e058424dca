import { expect, it } from 'vitest'
import { Home } from '@pages/home'
import data from './data'
it('shows', async () => {
  expect(Home).toBe(data)
  await import(`../src/pages/${data.page}`)
})
