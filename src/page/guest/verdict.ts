/**
 * The verdict on a page says what is kept of it. This table is the only place that says what a verdict means;
 * `docs/reference/guests.md` shows it.
 */

const KEEPS = ['page', 'part', 'text', 'meta', 'links'] as const

/** What a relevant page keeps (`--keep`). */
export type Keep = (typeof KEEPS)[number]

/** `none`: the page is not relevant. Its links are followed all the same. */
export type Verdict = Keep | 'none'

export const VERDICTS: readonly Verdict[] = ['none', ...KEEPS]

export interface Kept {
  /** The WARC record: the response as received, a `conversion` with the kept part, or none. */
  readonly record: 'response' | 'conversion' | 'none'
  /** The text in the table of pages: of the page, of the kept part, or none. */
  readonly text: 'page' | 'part' | 'none'
  /** Title, description, canonical URL, language, and the numbers of links. */
  readonly meta: boolean
  /** Its rows in the table of links. */
  readonly links: boolean
  /** The rows that `extract` returns. */
  readonly items: boolean
}

const KEPT: Readonly<Record<Verdict, Kept>> = {
  page: { record: 'response', text: 'page', meta: true, links: true, items: true },
  part: { record: 'conversion', text: 'part', meta: true, links: true, items: true },
  text: { record: 'none', text: 'page', meta: true, links: true, items: true },
  meta: { record: 'none', text: 'none', meta: true, links: false, items: true },
  links: { record: 'none', text: 'none', meta: false, links: true, items: true },
  none: { record: 'none', text: 'none', meta: false, links: false, items: false },
}

/** What a verdict keeps. Without a verdict (null), and after a failure of the guest, all is kept. */
export function keptBy(verdict: Verdict | null): Kept {
  return KEPT[verdict ?? 'page']
}

export function isVerdict(value: unknown): value is Verdict {
  return (VERDICTS as readonly unknown[]).includes(value)
}
