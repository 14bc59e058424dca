import type { Config } from 'jest'

const config: Config = {
  testMatch: [`<rootDir>/**/*.check.ts`],
  ...shared(),
}
export default config
