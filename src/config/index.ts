/**
 * config/: the configuration of a crawl, and the state folder with the directories that the user trusts.
 * In: flags, variables, a file, library options. Out: one checked CrawlConfig, or a ConfigError of one line.
 */
export { ASSIGNMENTS, type AssignmentName, isLearned, type NetKind } from './assignments.js'
export { readBlacklist } from './blacklist.js'
export { ConfigError } from './config-error.js'
export { readRuntime } from './crawl-kinds.js'
export { GRAPH_WEIGHTS, type GraphSettings, type GraphWeights, readGraphSettings } from './graph-settings.js'
export { bytes, count, positive } from './kinds.js'
export { hashOfFile, rememberDirectory, type Standing, standingOf } from './known-directories.js'
export { checkConfig, checked, loadConfig, readSetting, variableOf } from './load.js'
export {
  type CrawlConfig,
  type CrawlConfigInput,
  FIELDS,
  OPTION_GROUPS,
  type OptionGroup,
  optionHelp,
} from './option-table.js'
export { BUCKET_SIZES, type BucketSizes, type PhaseSettings, readPhaseSettings } from './phase-settings.js'
export { seedUrl } from './seed-url.js'
export { readSource, type Source } from './sources.js'
export { pruneState, readStateFile, stateFile, writeStateFile } from './state-files.js'
export { stateFolder } from './state-folder.js'
export { UntrustedError } from './untrusted-error.js'
