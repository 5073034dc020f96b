/**
 * What the caller adds to the configuration of a crawl: functions that are called while it runs, and settings
 * for this run only.
 */
import { ConfigError, type CrawlConfig } from '../../config/index.js'
import { checkGuest, type GuestModule } from '../../page/guest/index.js'
import type { PageReader } from '../threads/index.js'
import type { ListenPlace } from './pack-endpoint.js'

export interface RunOptions {
  /** Instead of the module that the configuration names. It runs in this process. */
  readonly guest?: GuestModule | undefined
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

/** Throws a ConfigError, before anything is written, for a guest whose functions could not be called. */
export function checkOwnGuest(guest: GuestModule | undefined, agents: number): void {
  if (guest === undefined) return
  if (agents > 1)
    throw new ConfigError('a guest that is an object works with one agent only; put it into a module')
  try {
    checkGuest(guest as Readonly<Record<string, unknown>>)
  } catch (error) {
    throw new ConfigError(`the guest cannot be used: ${(error as Error).message}`)
  }
}
