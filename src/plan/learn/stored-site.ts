import { joinSketches } from '../../model/bytes/index.js'
import { LIMITS } from '../../model/index.js'
import type { LearnedSite } from '../assign/learned/index.js'

/** A line of `sites.gz`. */
export type StoredSite = { -readonly [K in keyof LearnedSite]: LearnedSite[K] } & {
  /** The part of `bytes` that was no page: redirects, errors, sitemaps. Absent if it was not recorded. */
  otherBytes?: number
}

// Shared by all sites without notes: there may be two hundred thousand.
const NO_ADDRESSES: readonly string[] = []
const NO_TIMES: Readonly<Record<string, number>> = {}

export function unknownSite(site: string): StoredSite {
  const nothing = { checked: 0, changed: 0, addresses: NO_ADDRESSES, connectMs: NO_TIMES }
  return { site, pages: 0, bytes: 0, fetchMs: 0, ...nothing }
}

/**
 * Adds a line about a host, written by table conversion (`data/store/tables/learned-notes.ts`), to its site.
 */
export function noteHost(line: string, find: (site: string) => StoredSite | undefined): void {
  const [site, address, agent, connectMs, checked, changed, other, words] = line.split('\t')
  const known = find(site)
  if (!known) return
  noteWords(known, words)
  known.checked += Number(checked)
  known.changed += Number(changed)
  if (other !== undefined) known.otherBytes = (known.otherBytes ?? 0) + Number(other)
  const isNew = address !== '' && !known.addresses.includes(address)
  if (isNew && known.addresses.length < LIMITS.addressesPerSite)
    known.addresses = [...known.addresses, address]
  const least = Math.min(known.connectMs[agent] ?? Number.POSITIVE_INFINITY, Number(connectMs))
  if (Number(connectMs) >= 0 && Number.isFinite(least))
    known.connectMs = { ...known.connectMs, [agent]: least }
}

type WithWords = Pick<StoredSite, 'words'>

/**
 * Joins a sketch of words (`data/store/tables/word-notes.ts`) with those before; each conversion counts
 * equally.
 */
export function noteWords(site: WithWords, words = ''): void {
  if (words !== '') site.words = site.words === undefined ? words : joinSketches(site.words, words)
}

/** The newer sketch, unless there is none or only part of the site was crawled. */
export function keptWords(before: WithWords, now: WithWords, isPart: boolean): WithWords {
  const words = isPart ? (before.words ?? now.words) : (now.words ?? before.words)
  return words === undefined ? {} : { words }
}
