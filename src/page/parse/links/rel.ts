/** The meaning of the words of a `rel` attribute to a crawler. */

import { KNOWN_CHARS } from '../../limits.js'

export const Rel = {
  /** `ugc` and `sponsored` do not set it: they tell who wrote a link, not to ignore it. */
  nofollow: 1,
  canonical: 2,
  /** A page to follow: canonical, next, prev, alternate. */
  related: 4,
  /** Part of this page: stylesheet, icon, preload and so on. */
  requisite: 8,
  stylesheet: 16,
} as const

const WORDS: ReadonlyMap<string, number> = new Map([
  ['nofollow', Rel.nofollow],
  ['canonical', Rel.canonical | Rel.related],
  ['next', Rel.related],
  ['prev', Rel.related],
  ['alternate', Rel.related],
  ['stylesheet', Rel.requisite | Rel.stylesheet],
  ['icon', Rel.requisite],
  ['apple-touch-icon', Rel.requisite],
  ['apple-touch-icon-precomposed', Rel.requisite],
  ['mask-icon', Rel.requisite],
  ['manifest', Rel.requisite],
  ['preload', Rel.requisite],
  ['modulepreload', Rel.requisite],
])

/** Cached: sites use the same few values on every link. */
const known = new Map<string, number>()
const KNOWN_MAX = 512

export function relFlags(rel: string): number {
  const remembered = known.get(rel)
  if (remembered !== undefined) return remembered
  const flags = readFlags(rel)
  if (rel.length <= KNOWN_CHARS) {
    if (known.size >= KNOWN_MAX) known.clear()
    known.set(rel, flags)
  }
  return flags
}

function readFlags(rel: string): number {
  let flags = 0
  for (const word of rel.toLowerCase().split(/[\t\n\f\r ]+/)) flags |= WORDS.get(word) ?? 0
  // An alternate stylesheet belongs to this page; it is not another page.
  return (flags & Rel.stylesheet) === 0 ? flags : flags & ~Rel.related
}
