import { test as base } from '@playwright/test'

export const test = base.extend<{ admin: boolean }>({ admin: [false, { option: true }] })
export { expect } from '@playwright/test'
