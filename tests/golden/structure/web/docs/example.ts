import { words } from '@acme/kit'
const { it } = words
const half = (
