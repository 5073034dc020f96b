/** What the session and an agent in a thread of its own say to each other. */
import type { MessagePort } from 'node:worker_threads'
import type { AgentEnd } from '../cluster/agent/index.js'
import type { LedgerError } from '../ledger/index.js'
import type { AgentProgress } from '../report/index.js'
import type { SentPage } from '../runtime/index.js'
import type { AgentOrder } from './agent-host.js'
import type { FaultReport } from './faulty-ledger.js'
import type { CrawlInDatabase } from './open-ledger.js'

/** What an agent's thread is started with. */
export interface AgentThreadData {
  readonly order: AgentOrder
  /** A wire to the thread that has it, or where it is in a database. */
  readonly ledger: MessagePort | CrawlInDatabase
  readonly bus: MessagePort
  /** For fault tests: the fault to inject into an agent; null when none ever will be. */
  readonly injectedFaults: SharedArrayBuffer | null
  /**
   * Whether pages are wanted in the thread that began the crawl (`PageReader`); null where they never are.
   */
  readonly pagesWanted: SharedArrayBuffer | null
}

export type ToAgent =
  | { readonly kind: 'stop' }
  | { readonly kind: 'disk'; readonly trouble: string }
  /** Of the pages that were sent, one more. */
  | { readonly kind: 'page-taken' }

export type FromAgent =
  | { readonly kind: 'progress'; readonly progress: AgentProgress }
  | { readonly kind: 'disk'; readonly detail: string | null }
  | { readonly kind: 'page'; readonly page: SentPage }
  /** For fault tests. */
  | { readonly kind: 'fault'; readonly what: FaultReport }
  | { readonly kind: 'ended'; readonly end: AgentEnd; readonly progress: AgentProgress }
  /** `isFenced`: its incarnation was ended by the ledger, and a new one may begin. */
  | {
      readonly kind: 'failed'
      readonly message: string
      readonly stack: string
      readonly isFenced: boolean
      readonly ledger: LedgerError['kind'] | null
    }
