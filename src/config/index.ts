/**
 * config/: what the user asks for.
 * In: flags, variables, a file, library options. Out: one checked CrawlConfig, or a ConfigError of one line.
 */
export { readBlacklist } from './blacklist.js'
export { ConfigError } from './config-error.js'
export {
  type CrawlConfig,
  type CrawlConfigInput,
  FIELDS,
  OPTION_GROUPS,
  type OptionGroup,
  optionHelp,
} from './fields.js'
export { bytes, count, positive } from './kinds.js'
export { hashOfFile, rememberDirectory, type Standing, standingOf } from './known-directories.js'
export { checkConfig, loadConfig, variableOf } from './load.js'
export { pruneState, readStateFile, stateFile, writeStateFile } from './state-files.js'
export { stateFolder } from './state-folder.js'
export { UntrustedError } from './untrusted-error.js'
