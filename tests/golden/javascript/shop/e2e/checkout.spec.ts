import { expect, test } from './fixtures'

test.describe.configure({ mode: 'serial' })
test.skip(({ browserName }) => browserName === 'webkit', 'payment does not work there')

test.describe('checkout', { tag: '@IA-4QW8ZT2' }, () => {
  test.beforeEach(async ({ page }) => {
    await page.goto('/')
  })

  test('pays by card', { tag: ['@IA-5RT6YU7', '@fast'] }, async ({ page, isMobile }) => {
    test.slow()
    test.skip(isMobile, 'no card reader')
    await test.step('enter the card', async () => {})
    await expect(page.getByRole('status')).toHaveText('paid')
  })

  test.fixme('pays by invoice', async () => {})
})
