import { LIMITS } from '../../../model/index.js'

const WEB_ADDRESS = /^\s*https?:\/\/[^\s<>]+\s*$/i

/** The lines of a text that are web addresses; the end of the text may end the last line. */
export function* addressLines(text: string): Iterable<string> {
  for (let at = 0; at < text.length; ) {
    let end = text.indexOf('\n', at)
    if (end < 0) end = text.length
    if (end - at <= LIMITS.sitemapUrlBytes)
      for (const line of text.slice(at, end).split('\r')) if (WEB_ADDRESS.test(line)) yield line.trim()
    at = end + 1
  }
}
