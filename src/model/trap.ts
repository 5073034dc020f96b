/** Rules against endless sites, with the names under which they are counted (`TRAP:<name>`) and disabled. */
export const TRAP_RULES = {
  'repeated-segments': 'the same folders repeated in one path',
  'session-ids': 'links with a session id; they were followed without it',
  calendar: 'dates far from today, reached by walking a calendar',
  facets: 'one more combination or order of the same filters',
  growing: 'URLs that grow with every step',
  'soft-404': 'found on a page that is the same at many URLs',
  subdomains: 'one more host of a domain that answers to any name',
} as const

export type TrapRule = keyof typeof TRAP_RULES

/** `sitemaps` counts sitemaps beyond the limits; it cannot be disabled. */
export type TrapName = TrapRule | 'sitemaps'

export const ALL_TRAPS = Object.keys(TRAP_RULES) as readonly TrapRule[]

/** Reads `all`, `none`, rules to apply, or rules to disable (`no-calendar`); null for any other word. */
export function readTraps(words: readonly string[]): ReadonlySet<TrapRule> | null {
  if (words.length === 0 || (words.length === 1 && words[0] === 'all')) return new Set(ALL_TRAPS)
  if (words.length === 1 && words[0] === 'none') return new Set()
  const leavesOut = words.every(word => word.startsWith('no-'))
  const named = words.map(word => (leavesOut ? word.slice(3) : word))
  if (!named.every(name => Object.hasOwn(TRAP_RULES, name))) return null
  return new Set(ALL_TRAPS.filter(rule => named.includes(rule) !== leavesOut))
}
