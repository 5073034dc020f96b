/**
 * What the caller adds to the configuration of a crawl: functions that are called while it runs, and settings
 * for this run only.
 */
import { HOOK_NAMES, type Hooks, loadHooks } from '../../cluster/agent/lane/index.js'
import { ConfigError, type CrawlConfig } from '../../config/index.js'
import { absolute } from '../directory/index.js'
import type { PageReader } from '../threads/index.js'
import type { ListenPlace } from './pack-endpoint.js'

export interface RunOptions {
  /** Instead of the module that the configuration names. */
  readonly hooks?: Hooks | undefined
  readonly reader?: PageReader
  /** Settings of the crawl that this run replaces. */
  readonly robots?: CrawlConfig['robots'] | undefined
  readonly agents?: number | undefined
  readonly lanes?: number | undefined
  /**
   * The URL by which this machine reaches the ledger, and the name of the crawl there; both are saved in
   * crawl.json.
   */
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

/** Throws a ConfigError, before anything is written, for hooks that could not be called. */
export function checkHooks(hooks: Hooks | undefined, agents: number): void {
  if (hooks === undefined) return
  if (agents > 1)
    throw new ConfigError('hooks that are functions work with one agent only; put them into a module')
  for (const [name, hook] of Object.entries(hooks)) {
    if (!(HOOK_NAMES as readonly string[]).includes(name))
      throw new ConfigError(`there is no hook "${name}"; there are ${HOOK_NAMES.join(', ')}`)
    if (hook !== undefined && typeof hook !== 'function')
      throw new ConfigError(`the hook ${name} is not a function`)
  }
}

/** The hooks of a module; a mistake in it is one of the configuration. */
export async function hooksOfModule(path: string): Promise<Hooks> {
  try {
    return await loadHooks(path, absolute)
  } catch (error) {
    throw new ConfigError(`--hooks ${path}: ${(error as Error).message}`)
  }
}
