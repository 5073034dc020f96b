/** The URLs of a `srcset` value by the HTML standard: a comma inside a URL belongs to it. */
export function* srcsetUrls(srcset: string): Generator<string> {
  let i = 0
  while (i < srcset.length) {
    while (i < srcset.length && (isSpace(srcset, i) || srcset[i] === ',')) i++
    const start = i
    while (i < srcset.length && !isSpace(srcset, i)) i++
    if (i === start) return
    let end = i
    while (end > start && srcset[end - 1] === ',') end--
    if (end > start) yield srcset.slice(start, end)
    // A comma directly after the URL ends the candidate; otherwise descriptors follow.
    if (end === i) i = descriptorsEnd(srcset, i)
  }
}

function descriptorsEnd(srcset: string, from: number): number {
  let depth = 0
  for (let i = from; i < srcset.length; i++) {
    const c = srcset[i]
    if (c === '(') depth = 1
    else if (c === ')') depth = 0
    else if (c === ',' && depth === 0) return i + 1
  }
  return srcset.length
}

function isSpace(text: string, i: number): boolean {
  const c = text.charCodeAt(i)
  return c === 0x20 || (c >= 0x09 && c <= 0x0d && c !== 0x0b)
}
