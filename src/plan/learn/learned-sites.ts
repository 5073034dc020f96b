/**
 * The sites of `learned/` while it is written: what this crawl counted, what was noted of their hosts, and
 * what the crawl before knew, where this one has nothing new (S1).
 */
import { LIMITS } from '../../model/index.js'
import { noteHost, type StoredSite, unknownSite } from './note-host.js'
import type { SiteCount } from './site-count.js'
import { keptWords } from './site-words.js'

/** One object a site, all of one form: there may be two hundred thousand. */
class Entry {
  site: StoredSite
  /** Null for a site that only the crawl before knew. */
  readonly count: SiteCount | null
  /** How much of the nets of the crawl before still stands. */
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

  /** A line of `hosts-*.gz` (`data/store/tables/learned-notes.ts`). */
  note(line: string): void {
    noteHost(line, site => this.#entries.get(site)?.site)
  }

  /** All lines of a crawl with tables have been told: what was not noted was not there. */
  endNotes(): void {
    for (const { site } of this.#entries.values()) site.otherBytes ??= 0
  }

  /** A line of the `sites.gz` before, after all that is new has been added. */
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

/** Pages of a site that was left half-way have new nets; the old ones stand for the others, page for page. */
function netShare(before: StoredSite, { isWhole, pages }: SiteCount): number {
  if (isWhole || before.pages === 0) return isWhole ? 0 : 1
  return Math.max(0, 1 - pages / before.pages)
}

function merged(before: StoredSite, now: StoredSite, count: SiteCount): StoredSite {
  // What was left half-way, or failed today, says nothing of the site's size.
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
 * A page that had not changed came without its body: it still weighs what pages of its site weighed. What is
 * no page came again, and is counted once: otherwise a site would grow with every crawl in which nothing
 * changes.
 */
function weightNow(before: StoredSite, now: StoredSite, { pages, notModified }: SiteCount): Weight {
  const known = now.otherBytes ?? before.otherBytes
  const other = known ?? 0
  const sent = notModified >= pages ? 0 : Math.max(0, now.bytes - other)
  const ofPages = Math.max(0, before.bytes - (before.otherBytes ?? 0))
  const unsent = before.pages > 0 ? (notModified * ofPages) / before.pages : 0
  return { bytes: Math.round(sent + unsent + other), ...(known !== undefined && { otherBytes: known }) }
}
