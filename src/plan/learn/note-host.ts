import { LIMITS } from '../../model/index.js'
import type { LearnedSite } from '../assign/learned/index.js'
import { noteWords } from './site-words.js'

/** A line of `sites.gz`. */
export type StoredSite = { -readonly [K in keyof LearnedSite]: LearnedSite[K] } & {
  /** Of `bytes`, what came and was no page: redirects, errors, sitemaps. Absent where that was not noted. */
  otherBytes?: number
}

const NO_ADDRESSES: readonly string[] = []
const NO_TIMES: Readonly<Record<string, number>> = {}

export function unknownSite(site: string): StoredSite {
  const nothing = { checked: 0, changed: 0, addresses: NO_ADDRESSES, connectMs: NO_TIMES }
  return { site, pages: 0, bytes: 0, fetchMs: 0, ...nothing }
}

/**
 * A line that conversion noted of a host (`data/store/tables/learned-notes.ts`) joins what is known of its
 * site.
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
