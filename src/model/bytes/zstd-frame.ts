/** The structure of a Zstandard frame (RFC 8878, 3.1.1), read without decoding: its head and its blocks. */

const MAGIC = 0xfd2f_b528
const SKIPPABLE_MAGIC = 0x184d_2a50
/** The most that a block contains, whatever the window. */
export const ZSTD_BLOCK_BYTES = 128 * 1024

export interface ZstdFrame {
  /** Length of the frame, up to the end of the bytes or the first damage. */
  readonly length: number
  /** Offset of the first block. */
  readonly headBytes: number
  readonly windowBytes: number
  /** The size in the head; null if it has none. */
  readonly contentBytes: number | null
  /** Dictionary id; 0: none. */
  readonly dictionary: number
  readonly blocks: ZstdBlocks
}

export interface ZstdBlocks {
  readonly count: number
  /** Start and end of the last whole block. */
  readonly lastAt: number
  readonly endAt: number
  /** The most bytes that the blocks can contain after decoding. */
  readonly maxBytes: number
  /** `early`: the bytes end before the frame does. */
  readonly end: 'last' | 'early' | 'damaged'
}

export function isZstdFrame(bytes: Buffer, at: number): boolean {
  return bytes.length >= at + 4 && bytes.readUInt32LE(at) === MAGIC
}

/** The end of the skippable frame at `at`, perhaps past the end of `bytes`; -1 if there is none. */
export function skippableEnd(bytes: Buffer, at: number): number {
  if (bytes.length < at + 4 || (bytes.readUInt32LE(at) & 0xffff_fff0) >>> 0 !== SKIPPABLE_MAGIC) return -1
  return bytes.length < at + 8 ? bytes.length + 1 : at + 8 + bytes.readUInt32LE(at + 4)
}

/** The frame at the start of `bytes`; null if they end inside its head. */
export function readZstdFrame(bytes: Buffer): ZstdFrame | null {
  if (bytes.length < 6) return null
  const descriptor = bytes[4]
  const isSingleSegment = (descriptor & 0x20) !== 0
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3]
  const sizeBytes = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6]
  const dictionaryAt = isSingleSegment ? 5 : 6
  const sizeAt = dictionaryAt + dictionaryBytes
  const headBytes = sizeAt + sizeBytes
  if (headBytes > bytes.length) return null
  const contentBytes = contentSize(bytes, sizeAt, sizeBytes)
  const blocks = walkBlocks(bytes, headBytes)
  const checksumBytes = blocks.end === 'last' && (descriptor & 4) !== 0 ? 4 : 0
  const length = blocks.endAt + checksumBytes
  return {
    length: Math.min(length, bytes.length),
    headBytes,
    windowBytes: isSingleSegment ? (contentBytes ?? 0) : windowSize(bytes[5]),
    contentBytes,
    dictionary: dictionaryBytes === 0 ? 0 : bytes.readUIntLE(dictionaryAt, dictionaryBytes),
    blocks: length > bytes.length ? { ...blocks, end: 'early' } : blocks,
  }
}

/** Reads at most `maxCount` blocks from `from` on, until they can contain `enoughBytes`. */
export function walkBlocks(
  bytes: Buffer,
  from: number,
  maxCount = Number.POSITIVE_INFINITY,
  enoughBytes = Number.POSITIVE_INFINITY,
): ZstdBlocks {
  let count = 0
  let lastAt = from
  let endAt = from
  let maxBytes = 0
  let end: ZstdBlocks['end'] = 'early'
  while (count < maxCount && maxBytes < enoughBytes && endAt + 3 <= bytes.length) {
    const head = bytes.readUIntLE(endAt, 3)
    const kind = (head >> 1) & 3
    const size = head >> 3
    if (kind === 3 || size > ZSTD_BLOCK_BYTES) {
      end = 'damaged'
      break
    }
    const next = endAt + 3 + (kind === 1 ? 1 : size)
    if (next > bytes.length) break
    lastAt = endAt
    endAt = next
    count++
    maxBytes += kind === 2 ? ZSTD_BLOCK_BYTES : size
    if ((head & 1) === 1) {
      end = 'last'
      break
    }
  }
  return { count, lastAt, endAt, maxBytes, end }
}

function windowSize(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >> 3))
  return base + (base / 8) * (descriptor & 7)
}

function contentSize(bytes: Buffer, at: number, sizeBytes: number): number | null {
  if (sizeBytes === 0) return null
  if (sizeBytes === 8) return bytes.readUInt32LE(at) + bytes.readUInt32LE(at + 4) * 2 ** 32
  return bytes.readUIntLE(at, sizeBytes) + (sizeBytes === 2 ? 256 : 0)
}
