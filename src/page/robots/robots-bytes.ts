/** Detects whether a robots.txt is text, and in which encoding, before it is read line by line. */
import { LIMITS } from '../../model/index.js'

const UTF8_BOM = [0xef, 0xbb, 0xbf]

/** A file with one of these signatures is no robots.txt, whatever its type says. */
const SIGNATURES: readonly (readonly number[])[] = [
  [0x89, 0x50, 0x4e, 0x47], // PNG
  [0xff, 0xd8, 0xff], // JPEG
  [0x47, 0x49, 0x46, 0x38], // GIF
  [0x25, 0x50, 0x44, 0x46], // PDF
  [0x50, 0x4b, 0x03, 0x04], // ZIP
  [0x1f, 0x8b], // gzip
  [0x28, 0xb5, 0x2f, 0xfd], // zstd
  [0x7f, 0x45, 0x4c, 0x46], // ELF
]

/** Control characters that do not occur in text. */
const isControl = (c: number): boolean => c < 0x09 || c === 0x0b || (c > 0x0d && c < 0x20 && c !== 0x1b)

/** A stray NUL may be an editor's mistake; above this share the file is binary. */
const BINARY_SHARE = 0.1
const LOOKED_AT = 4_096
const WIDE_LOOKED_AT = 64
/** The size of `Allow: /` in UTF-16; a shorter match may be chance. */
const WIDE_LEAST = 16

export function looksBinary(bytes: Uint8Array): boolean {
  if (utf16Order(bytes) !== null) return false
  if (SIGNATURES.some(signature => signature.every((byte, i) => bytes[i] === byte))) return true
  const looked = Math.min(bytes.length, LOOKED_AT)
  let controls = 0
  for (let i = 0; i < looked; i++) if (isControl(bytes[i])) controls++
  return controls > looked * BINARY_SHARE
}

export interface RobotsFile {
  readonly bytes: Buffer
  /** The same with one character per byte. */
  readonly text: string
  /** False if the file was cut, so that its last line may be cut too. */
  readonly isWhole: boolean
}

/** Returns the file as UTF-8 without byte order mark; UTF-16 is converted. */
export function robotsFile(bytes: Uint8Array): RobotsFile {
  const isWhole = bytes.length <= LIMITS.robotsBytes
  const kept = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, LIMITS.robotsBytes))
  const order = utf16Order(kept)
  if (order === null) return fileOf(kept.subarray(markLength(kept)), isWhole)
  const units = Buffer.from(kept.subarray(isMarked(kept) ? 2 : 0, kept.length & ~1))
  if (order === 'big') units.swap16()
  return fileOf(Buffer.from(units.toString('utf16le')), isWhole)
}

function fileOf(bytes: Buffer, isWhole: boolean): RobotsFile {
  return { bytes, text: bytes.latin1Slice(0, bytes.length), isWhole }
}

/** A byte order mark counts only if the text agrees; text that is clearly UTF-16 needs no mark. */
function utf16Order(bytes: Uint8Array): 'little' | 'big' | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe && bytes[3] === 0) return 'little'
  if (bytes[0] === 0xfe && bytes[1] === 0xff && bytes[2] === 0) return 'big'
  if (isWide(bytes, 1)) return 'little'
  return isWide(bytes, 0) ? 'big' : null
}

/** Directives are ASCII: in UTF-16 every other byte, at `parity`, is zero, and no other. */
function isWide(bytes: Uint8Array, parity: 0 | 1): boolean {
  const end = Math.min(bytes.length & ~1, WIDE_LOOKED_AT)
  for (let i = 0; i < end; i += 2) if (bytes[i + parity] !== 0 || bytes[i + 1 - parity] === 0) return false
  return end >= WIDE_LEAST
}

/** Whether the file begins with a mark of UTF-16. */
function isMarked(bytes: Uint8Array): boolean {
  return (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)
}

/** Skips a partial UTF-8 mark too, as Google does, and a UTF-16 mark before plain bytes. */
function markLength(bytes: Uint8Array): number {
  if (isMarked(bytes)) return 2
  let length = 0
  while (length < UTF8_BOM.length && bytes[length] === UTF8_BOM[length]) length++
  return length
}
