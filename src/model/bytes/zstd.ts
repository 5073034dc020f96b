/** Zstandard: Node's own (22.15 and later), or the same library in WebAssembly, loaded only when needed. */
import * as zlib from 'node:zlib'
import { xxh64 } from './xxh64.js'

export interface Zstd {
  /** Makes one frame with its content size and a checksum. */
  compress(bytes: Uint8Array, level: number): Uint8Array
  /** Decodes a frame. Throws `ERR_BUFFER_TOO_LARGE` beyond `maxBytes`, and other errors for damage. */
  decompress(frame: Uint8Array, maxBytes: number): Buffer
}

/** Node 20's types do not have these. */
interface ZlibWithZstd {
  readonly zstdCompressSync: (bytes: Uint8Array, options: { params: Record<number, number> }) => Buffer
  readonly zstdDecompressSync: (bytes: Uint8Array, options: { maxOutputLength: number }) => Buffer
}

let loaded: Zstd | null = nativeZstd()

/** Null without Node's own until `loadZstd` has resolved. */
export function loadedZstd(): Zstd | null {
  return loaded
}

export async function loadZstd(): Promise<void> {
  loaded ??= await wasmZstd()
}

// Names of the zstd library (ZSTD_c_compressionLevel, ZSTD_c_checksumFlag).
const LEVEL_PARAMETER = 100
const CHECKSUM_PARAMETER = 201

function nativeZstd(): Zstd | null {
  const { zstdCompressSync, zstdDecompressSync } = zlib as unknown as Partial<ZlibWithZstd>
  if (!zstdCompressSync || !zstdDecompressSync) return null
  return {
    compress: (bytes, level) =>
      zstdCompressSync(bytes, { params: { [LEVEL_PARAMETER]: level, [CHECKSUM_PARAMETER]: 1 } }),
    decompress: (frame, maxBytes) => zstdDecompressSync(frame, { maxOutputLength: maxBytes }),
  }
}

const NO_DICTIONARY = new Uint8Array(0)
/** ZSTD_error_dstSize_tooSmall in the package's message. */
const TOO_SMALL = /code -70$/

/** RFC 8878: the offset of the frame's descriptor, and its bit for a checksum at the end of the frame. */
const DESCRIPTOR = 4
const HAS_CHECKSUM = 4

async function wasmZstd(): Promise<Zstd> {
  const zstd = await import('@bokuweb/zstd-wasm')
  await zstd.init()
  // One context for all records: creating one takes a third of the time of a record.
  const context = zstd.createCCtx()
  return {
    compress(bytes, level) {
      // The package has no option for a checksum, and without one damage may go unnoticed.
      const bare = zstd.compressUsingDict(context, bytes, NO_DICTIONARY, level)
      const frame = Buffer.allocUnsafe(bare.length + 4)
      frame.set(bare)
      frame[DESCRIPTOR] |= HAS_CHECKSUM
      frame.writeUInt32LE(xxh64(bytes), bare.length)
      return frame
    },
    decompress(frame, maxBytes) {
      try {
        const { buffer, byteOffset, byteLength } = zstd.decompress(frame, { defaultHeapSize: maxBytes })
        return Buffer.from(buffer, byteOffset, byteLength)
      } catch (error) {
        if (!TOO_SMALL.test((error as Error).message)) throw error
        throw Object.assign(new RangeError(`more than ${maxBytes} bytes`), { code: 'ERR_BUFFER_TOO_LARGE' })
      }
    },
  }
}
