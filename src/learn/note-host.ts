import type { LearnedWeb } from '../assign/index.js'
import { LIMITS } from '../model/limits.js'
import { noteWords } from './site-words.js'

type LearnedSite = LearnedWeb['sites'][number]
type NotedSite = { -readonly [K in keyof LearnedSite]: LearnedSite[K] }

export function unknownSite(site: string): NotedSite {
  return { site, pages: 0, bytes: 0, fetchMs: 0, checked: 0, changed: 0, addresses: [], connectMs: {} }
}

/** A line that conversion noted of a host (`store/learned-notes.ts`) joins what is known of its site. */
export function noteHost(line: string, sites: ReadonlyMap<string, NotedSite>): void {
  const [site, address, agent, connectMs, checked, changed, , words] = line.split('\t')
  const known = sites.get(site)
  if (!known) return
  noteWords(known, words)
  known.checked += Number(checked)
  known.changed += Number(changed)
  const isNew = address !== '' && !known.addresses.includes(address)
  if (isNew && known.addresses.length < LIMITS.addressesPerSite)
    known.addresses = [...known.addresses, address]
  const least = Math.min(known.connectMs[agent] ?? Number.POSITIVE_INFINITY, Number(connectMs))
  if (Number(connectMs) >= 0 && Number.isFinite(least))
    known.connectMs = { ...known.connectMs, [agent]: least }
}
