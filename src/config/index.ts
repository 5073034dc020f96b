/**
 * config/: what the user asks for.
 * In: flags, variables, a file, library options. Out: one checked CrawlConfig, or a ConfigError of one line.
 */

export { ConfigError } from './config-error.js'
export { checkConfig, loadConfig, variableOf } from './load.js'
export { CRAWL_OPTIONS } from './options.js'
export { type CrawlConfig, type CrawlConfigInput, seedUrl } from './schema.js'
