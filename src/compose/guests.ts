/** Functions of the caller that are called while the crawl runs. */
import { type CrawledPage, type Hooks, loadHooks } from '../agent/index.js'
import { ConfigError, type CrawlConfig } from '../config/index.js'
import { absolute } from './crawl-directory.js'
import type { ListenPlace } from './pack-desk.js'

export interface Guests {
  /** Instead of the module that the configuration names. */
  readonly hooks?: Hooks | undefined
  /** Sees every page after the hooks did; the crawl waits for it. */
  readonly reader?: (page: CrawledPage) => Promise<void>
  /** What this run does otherwise than the crawl was asked for. */
  readonly robots?: CrawlConfig['robots'] | undefined
  readonly agents?: number | undefined
  readonly lanes?: number | undefined
  /** The ledger as this machine reaches it, and the crawl's name there: from then on crawl.json names it. */
  readonly ledger?: { readonly url: string; readonly name: string } | undefined
  /** The ledger comes from a backup, and may be older than the directory: move away what it does not list. */
  readonly restored?: boolean | undefined
  /** `--trust`: the directory, or with a new crawl the one that `previous` names, is trusted from now on. */
  readonly trust?: boolean | undefined
  /**
   * Where agents that do not see the store can reach this process; those of this machine only unless said
   * otherwise.
   */
  readonly listen?: ListenPlace | undefined
}

/** The hooks of a crawl, with the reader behind them. */
export async function hooksOf(guests: Guests, config: CrawlConfig): Promise<Hooks> {
  if (config.agents > 1 && guests.hooks !== undefined)
    throw new ConfigError('hooks that are functions cannot go to several agents; put them into a module')
  const hooks = guests.hooks ?? (await hooksOfModule(config.hooks))
  const { reader } = guests
  if (reader === undefined) return hooks
  return {
    ...hooks,
    onPage: async page => {
      await hooks.onPage?.(page)
      await reader(page)
    },
  }
}

async function hooksOfModule(path: string | undefined): Promise<Hooks> {
  if (path === undefined) return {}
  try {
    return await loadHooks(path, absolute)
  } catch (error) {
    throw new ConfigError(`--hooks ${path}: ${(error as Error).message}`)
  }
}
