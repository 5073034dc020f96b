import type { Millis } from './clock.js'
import { registrableDomain, type Site, siteOf } from './url/index.js'

/** (site, shard) as one string: `example.org`, `example.org#3`. The unit of lease, inbox and seen-set. */
export type CellId = string

/** Rises with every lease of a cell; a higher one fences off a lower one. */
export type Epoch = number

/** What shares one politeness turn: sites of one registrable domain, or of one address. */
export type GroupId = string

/** A URL on its way into a cell: a seed, a link, or a URL of the previous crawl. */
export interface Discovery {
  readonly url: string
  /** Links followed from a seed. Informative unless `--max-depth` is given. */
  readonly depth: number
  /** Redirects followed since the last link. */
  readonly hops: number
  /** Higher is fetched sooner; 0 where nothing scores. */
  readonly score: number
  /** The page the link stood on; empty for a seed. */
  readonly via: string
}

export function cellOf(url: string): CellId {
  return siteOf(url)
}

export function siteOfCell(cell: CellId): Site {
  const shard = cell.indexOf('#')
  return shard < 0 ? cell : cell.slice(0, shard)
}

/** `ip`: of one registrable domain and of one address. */
export type Grouping = 'domain' | 'ip' | 'none'

/** The group whose turn a site needs; the addresses of `ip` are known only once its name is looked up. */
export function groupOf(site: Site, grouping: Grouping): GroupId {
  return grouping === 'none' ? site : registrableDomain(site)
}

/**
 * What the ledger files a cell under: the group of its site, or for a shard by number (`site#3`) the shard,
 * `#3`, of all sites: the turn of that is the lease of the shard.
 */
export function filedUnder(cell: CellId, grouping: Grouping): GroupId {
  const first = cell.indexOf('#')
  if (first < 0) return groupOf(cell, grouping)
  return cell.indexOf('#', first + 1) < 0 ? cell.slice(first) : groupOf(cell.slice(0, first), grouping)
}

/** Where the waits that a site alone asked for are kept: those of its group go on without it. */
export function ownTurn(site: Site): GroupId {
  return `=${site}`
}

/** The right to crawl a cell, as granted by the ledger. */
export interface Lease {
  readonly cell: CellId
  readonly epoch: Epoch
  /** Ledger time at which the lease ends unless renewed. */
  readonly until: Millis
  /** Number of the cell's last committed pack. */
  readonly lastPack: number
  /** Inbox position up to which rows are consumed by committed packs. */
  readonly cursor: number
  /** Rows its inbox has had in all when it was granted: who reads it after that needs no other reason to. */
  readonly appended: number
  /**
   * No request before these ledger times: politeness survives hand-over. After the last lease and the site's
   * delay,
   */
  readonly notBefore: Millis
  /** as the site itself asked (Retry-After) or its failures made us, */
  readonly waitUntil: Millis
  /** and when the turn of its group comes. */
  readonly turnFrom: Millis
  /** The longest pause between two requests that the ledger knows of this site. */
  readonly delayMs: Millis
  /** Rises with every lease that the ledger grants: says what an agent has not seen yet. */
  readonly grant: number
  /** The lane the cell was meant for; 0 where any will do. */
  readonly lane: number
}
