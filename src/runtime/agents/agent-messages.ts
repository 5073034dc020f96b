/** What the session and an agent in a thread of its own send to each other. */
import type { MessagePort } from 'node:worker_threads'
import type { AgentEnd } from '../../cluster/agent/index.js'
import type { LedgerError } from '../../ledger/index.js'
import type { AgentProgress } from '../../report/index.js'
import type { AgentOrder, CrawlInDatabase } from '../platform/index.js'
import type { SentPage } from '../threads/index.js'

/** The data with which an agent's thread is started. */
export interface AgentThreadData {
  readonly order: AgentOrder
  /** A port to the thread that has the ledger, or the address of the ledger in a database. */
  readonly ledger: MessagePort | CrawlInDatabase
  readonly bus: MessagePort
  /** Whether the thread that began the crawl wants pages (`PageReader`); null where it never does. */
  readonly pagesWanted: SharedArrayBuffer | null
}

export type ToAgent =
  | { readonly kind: 'stop' }
  | { readonly kind: 'disk'; readonly trouble: string }
  /** The reader has taken one of the pages that were sent. */
  | { readonly kind: 'page-taken' }

export type FromAgent =
  | { readonly kind: 'progress'; readonly progress: AgentProgress }
  | { readonly kind: 'disk'; readonly detail: string | null }
  | { readonly kind: 'page'; readonly page: SentPage }
  | { readonly kind: 'ended'; readonly end: AgentEnd; readonly progress: AgentProgress }
  /** `isFenced`: its incarnation was ended by the ledger, and a new one may begin. */
  | {
      readonly kind: 'failed'
      readonly message: string
      readonly stack: string
      readonly isFenced: boolean
      readonly ledger: LedgerError['kind'] | null
    }
