/**
 * What the sites of `learned/` are about: sketches of their words, as conversion noted them
 * (`data/store/tables/word-notes.ts`).
 */
import { joinSketches } from '../../model/bytes/index.js'

interface WithWords {
  words?: string
}

/** Each conversion counts as much as all before it; most lines of hosts say nothing of words. */
export function noteWords(site: WithWords, words = ''): void {
  if (words !== '') site.words = site.words === undefined ? words : joinSketches(site.words, words)
}

/** The new one, unless there is none, or it is of a part of the site. */
export function keptWords(before: WithWords, now: WithWords, isPart: boolean): WithWords {
  const words = isPart ? (before.words ?? now.words) : (now.words ?? before.words)
  return words === undefined ? {} : { words }
}
