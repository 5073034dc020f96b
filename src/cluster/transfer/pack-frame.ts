/** A pack as bytes: length of its head (4 bytes), its head (JSON with the part lengths), and its parts. */
import { createHash } from 'node:crypto'
import type { PackBytes } from '../../data/store/index.js'

export interface PackFrame {
  /** To be sent in this order; nothing is copied. */
  readonly buffers: readonly Buffer[]
  readonly bytes: number
  /** SHA-256 of all of it. */
  readonly digest: string
}

interface Head {
  readonly id: string
  readonly agent: string
  readonly rows: readonly [pages: number, links: number, cdxj: number, items?: number]
  readonly parts: readonly number[]
}

const LENGTH_BYTES = 4
const NO_HOSTS = Buffer.alloc(0)
const NO_ITEMS = { bytes: Buffer.alloc(0), rows: 0 }

export function frameOf(pack: PackBytes): PackFrame {
  const { id, agent, warc, pages, texts, links, cdxj, hosts = NO_HOSTS, items = NO_ITEMS } = pack
  const parts = [warc, pages.bytes, texts, links.bytes, cdxj.bytes, hosts, items.bytes]
  const head: Head = {
    id,
    agent,
    rows: [pages.rows, links.rows, cdxj.rows, items.rows],
    parts: parts.map(({ length }) => length),
  }
  const text = Buffer.from(JSON.stringify(head))
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32LE(text.length)
  const buffers = [length, text, ...parts]
  return {
    buffers,
    bytes: buffers.reduce((sum, buffer) => sum + buffer.length, 0),
    digest: digestOf(buffers),
  }
}

/** Decodes a pack. The caller has compared the digest of the bytes, so any error here is a bug. */
export function packIn(bytes: Buffer): PackBytes {
  let at = LENGTH_BYTES + bytes.readUInt32LE(0)
  const head = JSON.parse(bytes.toString('utf8', LENGTH_BYTES, at)) as Head
  const [warc, pages, texts, links, cdxj, hosts = NO_HOSTS, items = NO_ITEMS.bytes] = head.parts.map(
    length => {
      at += length
      return bytes.subarray(at - length, at)
    },
  )
  if (at !== bytes.length) throw new RangeError('the length of a pack differs from its header')
  const [pageRows, linkRows, cdxjRows, itemRows = 0] = head.rows
  return {
    id: head.id,
    agent: head.agent,
    warc,
    pages: { bytes: pages, rows: pageRows },
    texts,
    links: { bytes: links, rows: linkRows },
    cdxj: { bytes: cdxj, rows: cdxjRows },
    hosts,
    items: { bytes: items, rows: itemRows },
  }
}

export function digestOf(buffers: readonly Uint8Array[]): string {
  const hash = createHash('sha256')
  for (const buffer of buffers) hash.update(buffer)
  return hash.digest('hex')
}

/** `buffers` without their first `count` bytes. */
export function after(buffers: readonly Buffer[], count: number): Buffer[] {
  let skip = count
  const left: Buffer[] = []
  for (const buffer of buffers) {
    if (skip < buffer.length) left.push(buffer.subarray(skip))
    skip = Math.max(0, skip - buffer.length)
  }
  return left
}
