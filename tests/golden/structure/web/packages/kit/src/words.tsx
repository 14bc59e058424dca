import type { Locale } from './locale'
export type Word = Locale
export const load = () => import('./heavy')
