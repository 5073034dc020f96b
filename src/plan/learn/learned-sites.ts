/**
 * The sites of `learned/` while it is written: the counts of this crawl, the notes about their hosts, and
 * what the previous crawl knew.
 */
import { LIMITS } from '../../model/index.js'
import type { SiteCount } from './site-count.js'
import { keptWords, noteHost, type StoredSite, unknownSite } from './stored-site.js'

/** A class, so that all of up to two hundred thousand entries have one hidden class. */
class Entry {
  site: StoredSite
  /** Null for a site that only the previous crawl knew. */
  readonly count: SiteCount | null
  /** The share of the nets of the previous crawl that is still valid. */
  netShare: number

  constructor(site: StoredSite, count: SiteCount | null) {
    this.site = site
    this.count = count
    this.netShare = count?.isWhole ? 0 : 1
  }
}

export class LearnedSites {
  readonly #entries = new Map<string, Entry>()

  get size(): number {
    return this.#entries.size
  }

  add(count: SiteCount): void {
    if (this.#entries.size >= LIMITS.learnedSites) return
    const { site, pages, bytes, fetchMs } = count
    this.#entries.set(site, new Entry({ ...unknownSite(site), pages, bytes, fetchMs }, count))
  }

  /** Adds a line of `hosts-*.gz` (`data/store/tables/learned-notes.ts`). */
  note(line: string): void {
    noteHost(line, site => this.#entries.get(site)?.site)
  }

  /** All lines of a crawl with tables were added: a site without a note had no other bytes. */
  endNotes(): void {
    for (const { site } of this.#entries.values()) site.otherBytes ??= 0
  }

  /** Merges a line of the previous `sites.gz`; called after everything new was added. */
  keep(line: string): void {
    const before = JSON.parse(line) as StoredSite
    const now = this.#entries.get(before.site)
    if (now?.count) {
      now.netShare = netShare(before, now.count)
      now.site = merged(before, now.site, now.count)
    } else if (this.#entries.size < LIMITS.learnedSites)
      this.#entries.set(before.site, new Entry(before, null))
  }

  netShare(site: string): number {
    return this.#entries.get(site)?.netShare ?? 1
  }

  *lines(): Generator<string> {
    for (const { site } of this.#entries.values()) yield JSON.stringify(site)
  }
}

/** If a site was crawled in part, its old nets stand for the pages that were not fetched. */
function netShare(before: StoredSite, { isWhole, pages }: SiteCount): number {
  if (isWhole || before.pages === 0) return isWhole ? 0 : 1
  return Math.max(0, 1 - pages / before.pages)
}

function merged(before: StoredSite, now: StoredSite, count: SiteCount): StoredSite {
  // A site that was crawled in part, or failed, keeps its former size.
  const isLess = !count.isWhole && now.pages <= before.pages
  return {
    ...now,
    pages: isLess ? before.pages : now.pages,
    ...(isLess ? weightOf(before) : weightNow(before, now, count)),
    fetchMs: isLess || now.fetchMs === 0 ? before.fetchMs : now.fetchMs,
    checked: before.checked + now.checked,
    changed: before.changed + now.changed,
    addresses: now.addresses.length > 0 ? now.addresses : before.addresses,
    connectMs: { ...before.connectMs, ...now.connectMs },
    ...keptWords(before, now, isLess),
  }
}

type Weight = Pick<StoredSite, 'bytes' | 'otherBytes'>

function weightOf({ bytes, otherBytes }: StoredSite): Weight {
  return { bytes, ...(otherBytes !== undefined && { otherBytes }) }
}

/**
 * The bytes of a site. An unchanged page came without its body and counts as the mean page of the previous
 * crawl. Bytes that are no page come with each crawl and count once, or a site without changes would grow.
 */
function weightNow(before: StoredSite, now: StoredSite, { pages, notModified }: SiteCount): Weight {
  const known = now.otherBytes ?? before.otherBytes
  const other = known ?? 0
  const sent = notModified >= pages ? 0 : Math.max(0, now.bytes - other)
  const ofPages = Math.max(0, before.bytes - (before.otherBytes ?? 0))
  const unsent = before.pages > 0 ? (notModified * ofPages) / before.pages : 0
  return { bytes: Math.round(sent + unsent + other), ...(known !== undefined && { otherBytes: known }) }
}
