import state from '#state'
import clock from '#clock'
import { words } from '@kit'
import format from '@acme/kit/dates/format'
import manifest from '@acme/kit/package.json' with { type: 'json' }
import { Kind } from '@store/types'
import gone from '@store/gone'
import assert from 'node:assert'
export default { state, clock, words, format, manifest, gone, assert } as { kind: Kind }
