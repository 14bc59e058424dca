export type Locale = import('./dates/format').Format
