import path from 'node:path'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: { alias: { '@pages': path.resolve(__dirname, 'src/pages') } },
  test: { alias: [{ find: /^icons\/(.*)$/, replacement: path.resolve(__dirname, 'src/icons') + '/$1.svg' }] },
})
