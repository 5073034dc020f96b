/**
 * The rules that a page sets for itself, in meta robots and X-Robots-Tag, for all crawlers or for ours by
 * name. The strictest one counts.
 */
import type { Millis } from '../../model/index.js'

export interface PageRules {
  /** False after nofollow and none: its links are counted and listed, but not followed. */
  readonly follow: boolean
  /** False after noarchive: its content is not stored. */
  readonly archive: boolean
  /** False after noindex, none and a past unavailable_after: its text is not in the tables. */
  readonly index: boolean
}

export const NO_PAGE_RULES: PageRules = { follow: true, archive: true, index: true }

const AGENT = /^\s*([\w*./-]+)\s*:/
/** Rules with a value: the word before the colon is not an agent. */
const VALUED = /^\s*(unavailable_after|max-(snippet|image-preview|video-preview))\s*:/
const LATEST = /^\s*unavailable_after\s*:\s*(.*)$/

/**
 * `meta`: the content of all meta tags for us, lower case, joined by commas. `headers`: every X-Robots-Tag as
 * sent. `token`: our product token, lower case.
 */
export function pageRules(meta: string, headers: readonly string[], token: string, now: Millis): PageRules {
  if (meta === '' && headers.length === 0) return NO_PAGE_RULES
  const words = new Set<string>()
  addWords(meta, null, now, words)
  for (const header of headers) addWords(header.toLowerCase(), token, now, words)
  const none = words.has('none')
  return {
    follow: !none && !words.has('nofollow'),
    archive: !words.has('noarchive'),
    index: !none && !words.has('noindex'),
  }
}

/** With a token, a rule may be preceded by an agent, to which it and the following rules apply. */
function addWords(list: string, token: string | null, now: Millis, words: Set<string>): void {
  const parts = list.split(',')
  let isForUs = true
  for (let i = 0; i < parts.length; i++) {
    let part = parts[i]!
    const agent = token !== null && !VALUED.test(part) ? AGENT.exec(part) : null
    if (agent !== null) {
      isForUs = agent[1] === '*' || agent[1]!.split('/', 1)[0] === token
      part = part.slice(agent[0].length)
    }
    if (!isForUs) continue
    const latest = LATEST.exec(part)
    if (latest === null) {
      // Rules are separated by commas; blanks and semicolons are a common mistake.
      for (const word of part.split(/[\s;]+/)) words.add(word)
    } else {
      // Two of the three date formats contain a comma.
      const whole = /^[a-z]+$/.test(latest[1]!.trim()) ? `${latest[1]},${parts[++i] ?? ''}` : latest[1]!
      if (Date.parse(whole) <= now) words.add('noindex')
    }
  }
}
