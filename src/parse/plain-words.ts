/**
 * Looks at text four bytes at a time. Most text needs no change at all, and this says so at a fraction of the
 * cost of looking at every byte. It errs only to one side: where it stops early, the bytes are looked at one
 * by one.
 */
const HIGH_BITS = 0x80808080 | 0
const SPACES = 0x20202020
const AMPERSANDS = 0x26262626
/** First byte of a no-break space. */
const LEADS = 0xc2c2c2c2 | 0

let words: Int32Array<ArrayBufferLike> = new Int32Array(0)

/**
 * The position from `from` (a visible character) up to which `bytes` certainly hold neither control
 * characters nor two spaces in a row, no '&' and no no-break space. `bytes` is a buffer that begins where its
 * memory does.
 */
export function plainWordsEnd(bytes: Buffer, from: number, to: number): number {
  if (words.buffer !== bytes.buffer) words = new Int32Array(bytes.buffer, 0, bytes.length >> 2)
  const first = (from + 3) >> 2
  for (let i = from; i < first << 2; i++) {
    const c = bytes[i]!
    if (c <= 0x20 || c === 0x26 || c === 0xc2) return from
  }
  const end = to >> 2
  let before = 0
  let i = first
  for (; i < end; i++) {
    const word = words[i]!
    const spaces = zeroBytes(word ^ SPACES)
    const odd = ((word - SPACES) & ~word) | zeroBytes(word ^ AMPERSANDS) | zeroBytes(word ^ LEADS)
    if ((odd & HIGH_BITS) !== 0 || (spaces & ((spaces << 8) | before)) !== 0) break
    before = spaces >>> 24
  }
  return i << 2
}

/** The high bit of each byte that is zero; perhaps also of a byte after such a one. */
function zeroBytes(word: number): number {
  return (word - 0x01010101) & ~word & HIGH_BITS
}
