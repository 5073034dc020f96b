/**
 * runtime/settings/: the settings of a crawl, before it starts and while it runs. In: a configuration, and
 * the rows of the ledger that agents read. Out: checked seeds and paths, the plan of phases, live settings.
 */
export { checkPaths, checkSeeds } from './check-seeds.js'
export { checkSources } from './check-sources.js'
export { knownHosts } from './known-hosts.js'
export {
  initialSettings,
  LIVE_SETTINGS,
  LiveSettings,
  readLiveSetting,
  saveWidened,
  widenedScope,
} from './live-settings.js'
export { cellsOf, planOf, planSetting } from './phase-plan.js'
