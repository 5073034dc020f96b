import type { Millis } from './clock.js'
import { registrableDomain, type Site, siteOf } from './url/index.js'

/** (site, shard) as one string: `example.org`, `example.org#3`. The unit of lease, inbox and seen-set. */
export type CellId = string

/** Rises with every lease of a cell; a higher one fences off a lower one. */
export type Epoch = number

/** Sites that share one politeness turn: of one registrable domain, or of one address. */
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
  /** The page with the link; empty for a seed. */
  readonly via: string
}

export function cellOf(url: string): CellId {
  return siteOf(url)
}

export function siteOfCell(cell: CellId): Site {
  const shard = cell.indexOf('#')
  return shard < 0 ? cell : cell.slice(0, shard)
}

/** `ip`: by registrable domain, and by address. */
export type Grouping = 'domain' | 'ip' | 'none'

/** The group whose turn a site needs; with `ip`, its addresses are known only after a DNS look-up. */
export function groupOf(site: Site, grouping: Grouping): GroupId {
  return grouping === 'none' ? site : registrableDomain(site)
}

/**
 * The group of a cell in the ledger: that of its site, or for a shard by number (`site#3`) the shard `#3` of
 * all sites, whose turn is the lease of the shard.
 */
export function filedUnder(cell: CellId, grouping: Grouping): GroupId {
  const first = cell.indexOf('#')
  if (first < 0) return groupOf(cell, grouping)
  return cell.indexOf('#', first + 1) < 0 ? cell.slice(first) : groupOf(cell.slice(0, first), grouping)
}

/** The group under which the waits of a single site are stored, apart from those of its group. */
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
  /** Rows its inbox had in all at the time of the grant; a higher count means new rows. */
  readonly appended: number
  /** No request before this ledger time: the end of the last lease and the site's delay. */
  readonly notBefore: Millis
  /** No request before this ledger time: a wait of the site itself (Retry-After, back-off). */
  readonly waitUntil: Millis
  /** No request before this ledger time: the next-allowed time of its group. */
  readonly turnFrom: Millis
  /** The stored delay between two requests to this site. */
  readonly delayMs: Millis
  /** Rises with every lease that the ledger grants, so that an agent can ask for leases it has not seen. */
  readonly grant: number
  /** The lane that the cell is meant for; 0: any lane. */
  readonly lane: number
}
