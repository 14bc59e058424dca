export * from './dates/format.js'
export * as words from './words'
export { type Word } from './words'
