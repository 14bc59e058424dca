export type Format = string
