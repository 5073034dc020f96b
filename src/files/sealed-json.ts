/**
 * Small JSON files with the checksum of their own text as the last entry, so that a flipped bit is found even
 * if the file still parses. The checksum covers the role of the file, e.g. `crawl.json`, so that no other
 * file can take its place. To edit such a file by hand, remove that entry.
 */
import { crc32 } from 'node:zlib'
import { writeFileAtomically } from './durable.js'
import { readSmallFile } from './inside.js'

const SEAL = /,\n {2}"checksum": "([0-9a-f]{8})"\n\}\n$/
const SEAL_BYTES = ',\n  "checksum": "00000000"\n}\n'.length

export function writeSealed(path: string, role: string, content: object): void {
  writeFileAtomically(path, sealed(role, content))
}

function sealed(role: string, content: object): string {
  const text = JSON.stringify(content, null, 2).slice(0, -'\n}'.length)
  return `${text},\n  "checksum": "${hex(crc32(text, crc32(role)))}"\n}\n`
}

const hex = (value: number) => value.toString(16).padStart(8, '0')

export interface SealedJson {
  /** Without the checksum. */
  readonly content: unknown
  /** `none`: the file has no checksum at its end. */
  readonly seal: 'right' | 'wrong' | 'none'
}

/** Null if it is not a file with a JSON object. Throws the errors of the file system. */
export function readSealed(path: string, role: string): SealedJson | null {
  const bytes = readBytes(path)
  if (bytes === null) return null
  const seal = sealOf(bytes, role)
  try {
    const content: unknown = JSON.parse(bytes.toString('utf8'))
    if (typeof content !== 'object' || content === null || Array.isArray(content)) return null
    const { checksum: _, ...rest } = content as Record<string, unknown>
    return { content: rest, seal }
  } catch {
    return null
  }
}

/** Null for a folder, and for a file that is too large. */
function readBytes(path: string): Buffer | null {
  try {
    return readSmallFile(path)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'EISDIR' || code === 'ERR_FS_FILE_TOO_LARGE') return null
    throw error
  }
}

function sealOf(bytes: Buffer, role: string): SealedJson['seal'] {
  const at = Math.max(0, bytes.length - SEAL_BYTES)
  const [, expected] = SEAL.exec(bytes.toString('latin1', at)) ?? []
  if (expected === undefined) return 'none'
  return hex(crc32(bytes.subarray(0, at), crc32(role))) === expected ? 'right' : 'wrong'
}
