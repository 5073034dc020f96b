/**
 * cli/options/: options that several commands share, or that need a file of their own. In: text. Out: checked
 * values; throws a ConfigError.
 */
export {
  type AddressOptions,
  addressOf,
  againWith,
  readListen,
  trustOption,
  withAddress,
} from './crawl-address.js'
export { crawlOptions, headingOf, withGroupedHelp } from './crawl-options.js'
export { readObjectives } from './partition-objectives.js'
export { type LimitFlags, readLimits, withLimits } from './query-limits.js'
export { amount, collect, whole } from './whole.js'
