/**
 * cli/: one file per command. In: arguments. Out: a summary for people on stderr, JSON on stdout, an exit
 * code. `options/`, `output/` and `exit/` have what commands share.
 */
export type { Say } from './commands.js'
