/** Prefix codes as deflate wants them: lengths from counts, bits from lengths (RFC 1951, 3.2.2). */

/**
 * Code length of each symbol; every symbol gets a code. Counts are evened out until no code exceeds
 * `maxBits`.
 */
export function codeLengths(counts: ArrayLike<number>, maxBits: number): Uint8Array {
  const weights = Float64Array.from(counts, count => Math.max(1, Math.floor(count)))
  for (;;) {
    const lengths = huffmanLengths(weights)
    if (lengths.every(length => length <= maxBits)) return lengths
    for (let i = 0; i < weights.length; i++) weights[i] = Math.ceil(weights[i]! / 2)
  }
}

/** Joins the two lightest nodes until one is left; sorted leaves and joined nodes form two ordered queues. */
function huffmanLengths(weights: Float64Array): Uint8Array {
  const symbols = weights.length
  const order = Array.from(weights.keys()).sort((a, b) => weights[a]! - weights[b]! || a - b)
  const joined = new Float64Array(symbols - 1)
  const parents = new Int32Array(2 * symbols - 1)
  let leaf = 0
  let node = 0
  const lightest = (made: number) => {
    const takesLeaf = leaf < symbols && (node === made || weights[order[leaf]!]! <= joined[node]!)
    return takesLeaf ? leaf++ : symbols + node++
  }
  const weightOf = (at: number) => (at < symbols ? weights[order[at]!]! : joined[at - symbols]!)
  for (let made = 0; made < symbols - 1; made++) {
    const first = lightest(made)
    const second = lightest(made)
    joined[made] = weightOf(first) + weightOf(second)
    parents[first] = parents[second] = symbols + made
  }
  const depths = new Uint8Array(2 * symbols - 1)
  for (let at = 2 * symbols - 3; at >= 0; at--) depths[at] = Math.min(255, depths[parents[at]!]! + 1)
  const lengths = new Uint8Array(symbols)
  for (let at = 0; at < symbols; at++) lengths[order[at]!] = depths[at]!
  return lengths
}

/** The canonical code of these lengths, bits reversed, because deflate writes codes from their first bit. */
export function codeBits(lengths: Uint8Array): Uint16Array {
  const perLength = new Uint16Array(16)
  for (const length of lengths) perLength[length]!++
  perLength[0] = 0
  const next = new Uint16Array(16)
  for (let length = 1; length < 16; length++) next[length] = (next[length - 1]! + perLength[length - 1]!) << 1
  return Uint16Array.from(lengths, length => (length === 0 ? 0 : reversed(next[length]!++, length)))
}

function reversed(code: number, length: number): number {
  let result = 0
  for (let i = 0; i < length; i++) result |= ((code >> i) & 1) << (length - 1 - i)
  return result
}
