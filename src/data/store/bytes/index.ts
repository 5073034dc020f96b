/**
 * data/store/bytes/: a growing buffer of bytes, and times as text.
 */
export { ByteSink } from './byte-sink.js'
export { timestamp, warcDate } from './utc-text.js'
