import legacy = require('../legacy')
export type Kind = typeof legacy
declare module '../state' {
  export const kind: Kind
}
