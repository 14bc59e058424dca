import { configDefaults, defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    globals: true,
    include: ['src/**/*.test.{ts,tsx}', 'packages/*/src/**/*.test.ts'],
    exclude: [...configDefaults.exclude, 'src/**/*.slow.test.ts'],
  },
})
