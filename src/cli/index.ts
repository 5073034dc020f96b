/**
 * cli/: one file per command. In: arguments. Out: a summary for people on stderr, JSON on stdout, an exit
 * code.
 */
export type { Say } from './commands.js'
export { EXIT } from './exit-codes.js'
export { print, printJson, tell } from './output.js'
export { number } from './summary.js'
export { whole } from './whole.js'
