/** The module of a user: what it may export, and what its functions may return. */
import { GUEST_PART_CHARS } from '../limits.js'
import type { Facts, GuestFailure, GuestPage, Judgement, Rating } from './guest.js'
import type { ItemCheck, ItemRow } from './items.js'
import { isVerdict, VERDICTS, type Verdict } from './verdict.js'

/** All functions are optional. In the sandbox they are synchronous. */
export interface GuestModule<F extends Facts = Facts, I extends ItemRow = ItemRow> {
  /** Name of the view over the rows; by default the name of the file. */
  readonly name?: string
  /** JSON schema of a row: its `properties` become columns. Inferred from the rows without it. */
  readonly schema?: object
  /** What is kept of a page. Without it, keywords and `--keep` decide. */
  select?(facts: F): Verdict | Promise<Verdict>
  /** The part that is kept of a page whose verdict is `part`. */
  filter?(page: PageFor<F>): string | Promise<string>
  /** Rows for the table `items`. */
  extract?(page: PageFor<F>): ItemsFor<I> | Promise<ItemsFor<I>>
  /** False keeps a link out of the crawl. */
  accept?(url: string): boolean
  /** Links with a higher score are fetched sooner within their site. */
  score?(url: string): number
  /** What another instance continues with; any JSON. */
  save?(): unknown
  load?(state: unknown): void
}

type PageFor<F extends Facts> = F & GuestPage<F extends Facts<infer K> ? K : string>
// biome-ignore lint/suspicious/noConfusingVoidType: `extract` may return nothing at all.
type ItemsFor<I> = readonly I[] | I | null | undefined | void

/** Gives a guest its types: `export default defineGuest<Facts<'flu'>, Product>({ … })`. */
export function defineGuest<F extends Facts = Facts, I extends ItemRow = ItemRow>(
  guest: GuestModule<F, I>,
): GuestModule<F, I> {
  return guest
}

const FUNCTIONS = ['select', 'filter', 'extract', 'accept', 'score', 'save', 'load'] as const

export type GuestFunction = (typeof FUNCTIONS)[number]

/** The exports of a module, its default export preferred. Throws a TypeError of one line. */
export function guestIn(exports: Readonly<Record<string, unknown>>): GuestModule {
  const { default: main } = exports
  const found = typeof main === 'object' && main !== null ? (main as Record<string, unknown>) : exports
  checkGuest(found)
  return found as GuestModule
}

/** Throws a TypeError of one line. */
export function checkGuest(guest: Readonly<Record<string, unknown>>): void {
  const functions = FUNCTIONS.filter(name => guest[name] !== undefined)
  for (const name of functions)
    if (typeof guest[name] !== 'function') throw new TypeError(`${name} is not a function`)
  if (functions.length === 0) throw new TypeError(`it has none of ${FUNCTIONS.join(', ')}`)
  if (guest.name !== undefined && !isGuestName(guest.name)) throw new TypeError('name is not a word')
}

function isGuestName(name: unknown): name is string {
  return typeof name === 'string' && /^[A-Za-z_]\w{0,62}$/.test(name)
}

/** What `select` returned, or why it cannot be used. */
export function checkVerdict(value: unknown): Verdict | GuestFailure {
  if (isVerdict(value)) return value
  return badOutput(`select returned ${kindOf(value)}; it may return ${VERDICTS.join(', ')}`)
}

export function judgementOf(verdict: Verdict, part: unknown, rows: unknown, items: ItemCheck): Judgement {
  if (verdict === 'part' && typeof part !== 'string')
    return { ok: false, failure: badOutput(`filter returned ${kindOf(part)}; it may return a text`) }
  const kept = verdict === 'part' ? (part as string) : ''
  if (kept.length > GUEST_PART_CHARS)
    return { ok: false, failure: badOutput(`filter returned ${kept.length} characters`) }
  const checked = items.check(rows)
  if (typeof checked === 'string') return { ok: false, failure: badOutput(`extract: ${checked}`) }
  return { ok: true, verdict, part: kept, items: checked }
}

export function ratingOf(accepted: unknown, score: unknown): Rating {
  if (!accepted) return null
  if (typeof score === 'number' && Number.isFinite(score)) return score
  return badOutput(`score returned ${kindOf(score)}; it may return a number`)
}

export function badOutput(detail: string): GuestFailure {
  return { code: 'GUEST_OUTPUT', detail }
}

function kindOf(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 40))
  if (Array.isArray(value)) return 'a list'
  return value === null || typeof value !== 'object' ? String(value) : 'an object'
}
