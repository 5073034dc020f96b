/**
 * The container of both formats:
 *
 * magic (8 bytes) | length of the header (4) | header (JSON) | Ed25519 signature of these (64) | sections
 *
 * The header holds the manifest and, for each section, its compressed and inflated size and the SHA-256 of
 * its compressed bytes. Sections are brotli streams, addressed by index. The sizes of the header are checked
 * before anything is inflated.
 */
import { createHash, type KeyObject, sign } from 'node:crypto'
import { promisify } from 'node:util'
import {
  brotliCompress,
  brotliCompressSync,
  brotliDecompress,
  brotliDecompressSync,
  constants,
} from 'node:zlib'
import { AT_ONCE_BYTES, MANIFEST_MAX_BYTES, MOST_SECTIONS } from '../limits.js'
import { isCount, isListOf, isText, readObject } from './fields.js'
import { verifyBytes } from './keys.js'

const LENGTH_BYTES = 4
const SIGNATURE_LENGTH_BYTES = 64
/** `quality` 5 of brotli compresses 30 MB/s; higher ones gain a few percent at a tenth of the speed. */
const QUALITY = 5
/** The windows that brotli allows; one of 8 MiB is as long as a part. */
const [LEAST_WINDOW_BITS, MOST_WINDOW_BITS] = [10, 23]

const compress = promisify(brotliCompress)
const inflate = promisify(brotliDecompress)

export interface ContainerLimits {
  /** The whole container. */
  readonly bytes: number
  /** All sections together, inflated. */
  readonly inflatedBytes: number
}

interface SectionFacts {
  readonly bytes: number
  readonly inflated: number
  readonly sha256: string
}

export type Opened<T> = ({ readonly ok: true } & T) | { readonly ok: false; readonly why: string }

export interface Container<M> {
  readonly manifest: M
  readonly sections: readonly Buffer[]
}

export async function sealContainer(
  magic: string,
  manifest: object,
  sections: readonly Uint8Array[],
  privateKey: KeyObject,
): Promise<Buffer> {
  const compressed = await Promise.all(sections.map(squeeze))
  const facts = compressed.map((bytes, at) => ({
    bytes: bytes.length,
    inflated: sections[at]!.length,
    sha256: sha256(bytes),
  }))
  const header = Buffer.from(JSON.stringify({ manifest, sections: facts }))
  if (header.length > MANIFEST_MAX_BYTES) throw new RangeError('the manifest is too long')
  const head = Buffer.alloc(magic.length + LENGTH_BYTES)
  head.write(magic, 'latin1')
  head.writeUInt32LE(header.length, magic.length)
  const signed = Buffer.concat([head, header])
  return Buffer.concat([signed, sign(null, signed, privateKey), ...compressed])
}

/** `read` checks the manifest and names the key that must have signed it; a text refuses the container. */
export async function openContainer<M>(
  magic: string,
  bytes: Buffer,
  limits: ContainerLimits,
  read: (manifest: unknown) => { readonly manifest: M; readonly signer: string } | string,
): Promise<Opened<Container<M>>> {
  const found = readHeader(magic, bytes, limits)
  if (typeof found === 'string') return { ok: false, why: found }
  const claimed = read(found.manifest)
  if (typeof claimed === 'string') return { ok: false, why: `its manifest is refused: ${claimed}` }
  const signed = bytes.subarray(0, found.end)
  const signature = bytes.subarray(found.end, found.end + SIGNATURE_LENGTH_BYTES)
  if (!verifyBytes(signed, signature, claimed.signer)) return { ok: false, why: 'its signature is wrong' }
  const sections: Buffer[] = []
  let at = found.end + SIGNATURE_LENGTH_BYTES
  for (const section of found.sections) {
    const inflated = await unpack(bytes.subarray(at, at + section.bytes), section)
    if (inflated === null) return { ok: false, why: `its section ${sections.length} is damaged` }
    sections.push(inflated)
    at += section.bytes
  }
  return { ok: true, manifest: claimed.manifest, sections }
}

interface Header {
  readonly manifest: unknown
  readonly sections: readonly SectionFacts[]
  /** Where the signature begins. */
  readonly end: number
}

function readHeader(magic: string, bytes: Buffer, limits: ContainerLimits): Header | string {
  if (bytes.length > limits.bytes) return `it is longer than ${limits.bytes} bytes`
  const start = magic.length + LENGTH_BYTES
  if (bytes.length < start || bytes.toString('latin1', 0, magic.length) !== magic)
    return 'it does not begin like one'
  const length = bytes.readUInt32LE(magic.length)
  const end = start + length
  if (length > MANIFEST_MAX_BYTES || end + SIGNATURE_LENGTH_BYTES > bytes.length)
    return 'its header has a wrong length'
  const header = parse(bytes.toString('utf8', start, end))
  if (typeof header === 'string') return header
  const total = header.sections.reduce((sum, section) => sum + section.bytes, end + SIGNATURE_LENGTH_BYTES)
  if (total !== bytes.length) return 'its sections have another length than it says'
  const inflated = header.sections.reduce((sum, section) => sum + section.inflated, 0)
  if (inflated > limits.inflatedBytes) return `it says it inflates to ${inflated} bytes`
  return { ...header, end }
}

function parse(text: string): Omit<Header, 'end'> | string {
  try {
    return readObject<Omit<Header, 'end'>>(JSON.parse(text), {
      manifest: value => typeof value === 'object' && value !== null,
      sections: isListOf(isSection, MOST_SECTIONS),
    })
  } catch {
    return 'its header is not JSON'
  }
}

function isSection(value: unknown): boolean {
  const size = isCount(0, Number.MAX_SAFE_INTEGER)
  const checked = readObject<SectionFacts>(value, {
    bytes: size,
    inflated: size,
    sha256: isText(64, /^[0-9a-f]{64}$/),
  })
  return typeof checked !== 'string'
}

async function squeeze(bytes: Uint8Array): Promise<Buffer> {
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_LGWIN, BROTLI_PARAM_SIZE_HINT } = constants
  const params = {
    [BROTLI_PARAM_QUALITY]: QUALITY,
    [BROTLI_PARAM_LGWIN]: Math.min(
      MOST_WINDOW_BITS,
      Math.max(LEAST_WINDOW_BITS, 33 - Math.clz32(bytes.length)),
    ),
    [BROTLI_PARAM_SIZE_HINT]: bytes.length,
  }
  return bytes.length <= AT_ONCE_BYTES ? brotliCompressSync(bytes, { params }) : compress(bytes, { params })
}

/** Null unless the bytes have the hash of the header and inflate to exactly the size it says. */
async function unpack(bytes: Buffer, facts: SectionFacts): Promise<Buffer | null> {
  if (sha256(bytes) !== facts.sha256) return null
  try {
    // A limit of 0 would mean the default.
    const bound = { maxOutputLength: Math.max(1, facts.inflated) }
    const isSmall = facts.inflated <= AT_ONCE_BYTES
    const inflated = isSmall ? brotliDecompressSync(bytes, bound) : await inflate(bytes, bound)
    return inflated.length === facts.inflated ? inflated : null
  } catch {
    return null
  }
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
