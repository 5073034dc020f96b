/** Changes the URLs of a `srcset` and keeps the descriptors. */
import type { ChangeUrl } from './rewrite-css.js'

export function rewriteSrcset(srcset: string, change: ChangeUrl): string {
  let out = ''
  let at = 0
  while (at < srcset.length) {
    const start = skip(srcset, at, c => isSpace(c) || c === ',')
    let end = skip(srcset, start, c => !isSpace(c))
    const next = srcset[end - 1] === ','
    while (end > start && srcset[end - 1] === ',') end--
    const url = srcset.slice(start, end)
    // Exported names hold no comma or space that is not escaped, so the list stays a list.
    out += srcset.slice(at, start) + (url === '' ? '' : (change(url) ?? url))
    at = next ? end : candidateEnd(srcset, end)
    out += srcset.slice(end, at)
    if (start === srcset.length) break
    if (next) {
      out += ','
      at = end + 1
    }
  }
  return out
}

/** Behind the descriptors of a candidate: at the comma that ends it, one in parentheses does not. */
function candidateEnd(srcset: string, from: number): number {
  let isInside = false
  for (let i = from; i < srcset.length; i++) {
    const c = srcset[i]
    if (c === '(') isInside = true
    else if (c === ')') isInside = false
    else if (c === ',' && !isInside) return i
  }
  return srcset.length
}

function skip(text: string, from: number, matches: (char: string) => boolean): number {
  let i = from
  while (i < text.length && matches(text[i])) i++
  return i
}

function isSpace(char: string): boolean {
  return char === ' ' || char === '\t' || char === '\n' || char === '\f' || char === '\r'
}
