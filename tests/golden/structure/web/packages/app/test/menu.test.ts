import { it } from 'vitest'
import { menu } from '../src/menu'
it('has no entries', () => menu.length === 0)
