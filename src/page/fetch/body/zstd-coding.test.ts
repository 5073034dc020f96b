import * as zlib from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { loadedZstd, loadZstd } from '../../../model/bytes/index.js'
import { ContentDecoder } from './content-decoder.js'
import type { Decoded } from './decoded.js'

await loadZstd()
const zstd = loadedZstd()!

const MAX = 32 * 1024 * 1024
const KILO = 1024
const decoder = new ContentDecoder(2)
const pageOf = (lines: number) =>
  Buffer.from(Array.from({ length: lines }, (_, i) => `<p>line ${i} ${(i * 7919) % 1013}</p>`).join('\n'))
const page = pageOf(600)
/** Of several blocks, and too large to be decoded at once. */
const large = Buffer.alloc(300 * KILO).map(
  (_, i) => (Math.imul(i, 2654435761) >>> 24) ^ (Math.imul(i, i) >>> 7),
)
const packed = (bytes: Uint8Array, level = 3) => Buffer.from(zstd.compress(bytes, level))

async function decoded(payload: Buffer, maxBytes = MAX): Promise<Extract<Decoded, { ok: true }>> {
  const result = await decoder.decode(payload, ['zstd'], maxBytes)
  if (!result.ok) throw new Error(result.detail)
  return result
}

const MAGIC = [0x28, 0xb5, 0x2f, 0xfd]
/** A block of `size` times the byte, in four bytes. */
const repeated = (byte: number, size: number, isLast = false) => {
  const head = (size << 3) | (1 << 1) | (isLast ? 1 : 0)
  return Buffer.from([head & 255, (head >> 8) & 255, head >> 16, byte])
}
const skippable = (bytes: number) => {
  const frame = Buffer.alloc(8 + bytes, 7)
  frame.writeUInt32LE(0x184d2a53, 0)
  frame.writeUInt32LE(bytes, 4)
  return frame
}

describe('zstd is undone', () => {
  test.each([1, 3, 19])('level %d', async level => {
    for (const bytes of [page, large, Buffer.alloc(0), Buffer.from('x')]) {
      const { body, cut } = await decoded(packed(bytes, level))
      expect(body.equals(bytes)).toBe(true)
      expect(cut).toBeNull()
    }
  })

  test('several frames, and between them such as are to be skipped', async () => {
    const [first, second] = [packed(page.subarray(0, 5_000)), packed(page.subarray(5_000))]
    const payload = Buffer.concat([skippable(0), first, skippable(300), second, skippable(9)])
    const { body, cut } = await decoded(payload)
    expect(body.equals(page)).toBe(true)
    expect(cut).toBeNull()
  })

  test('on top of another coding, and below one', async () => {
    for (const [codings, payload] of [
      [['gzip', 'zstd'], packed(zlib.gzipSync(page))],
      [['zstd', 'br'], zlib.brotliCompressSync(packed(page))],
    ] as const)
      expect(await decoder.decode(payload, codings, MAX)).toEqual({ ok: true, body: page, cut: null })
  })

  test('a small body needs no promise', () => {
    expect(decoder.decode(packed(page), ['zstd'], MAX)).not.toBeInstanceOf(Promise)
  })
})

describe('zstd that asks too much is refused', () => {
  test.each([
    ['a dictionary', [...MAGIC, 0x01, 0x20, 0x05, ...repeated(65, 10, true)]],
    ['a window of 16 MB', [...MAGIC, 0x00, 14 << 3, ...repeated(65, 10, true)]],
    [
      'a content of a terabyte in one segment',
      [...MAGIC, 0xe0, 0, 0, 0, 0, 0, 1, 0, 0, ...repeated(65, 10, true)],
    ],
  ])('%s', async (_, bytes) => {
    expect(await decoder.decode(Buffer.from(bytes), ['zstd'], MAX)).toMatchObject({ ok: false })
  })

  test('a content of a terabyte that is not there costs nothing', async () => {
    const lies = Buffer.from([...MAGIC, 0xc0, 0x20, 0, 0, 0, 0, 0, 1, 0, 0, ...repeated(65, 10, true)])
    expect((await decoded(lies)).body.toString()).toBe('A'.repeat(10))
  })
})

describe('broken zstd keeps what decoded, and says so', () => {
  test('cut short anywhere', async () => {
    const payload = Buffer.concat([packed(page), packed(large, 1)])
    let kept = 0
    for (let end = payload.length - 1; end > 12; end -= 997) {
      const { body, cut } = await decoded(payload.subarray(0, end))
      expect(cut).toBe('early')
      expect(Buffer.concat([page, large]).subarray(0, body.length).equals(body)).toBe(true)
      kept = Math.max(kept, body.length)
    }
    expect(kept).toBeGreaterThan(page.length + 200 * KILO)
  })

  test('cut inside the only block, or inside what is to be skipped', async () => {
    const payload = packed(page)
    expect(await decoded(payload.subarray(0, payload.length >> 1))).toEqual({
      ok: true,
      body: Buffer.alloc(0),
      cut: 'early',
    })
    expect(await decoded(Buffer.concat([payload, skippable(50).subarray(0, 20)]))).toEqual({
      ok: true,
      body: page,
      cut: 'early',
    })
  })

  test('wrong checksum: the whole text', async () => {
    const wrong = packed(page)
    wrong[wrong.length - 1] ^= 0xff
    expect(await decoded(wrong)).toEqual({ ok: true, body: page, cut: null })
  })

  test('damage in a later block: what came before', async () => {
    const damaged = packed(large, 1)
    // The head of the last block says that it is of a kind that there is not.
    const lastAt = damaged.length - 4 - 3 - (large.length - 2 * 128 * KILO)
    damaged[lastAt] |= 6
    const { body, cut } = await decoded(damaged)
    expect(cut).toBe('early')
    expect(body.equals(large.subarray(0, 256 * KILO))).toBe(true)
  })

  test('nothing sound behind the first bytes is refused', async () => {
    const payload = Buffer.from([...MAGIC, 0x00, 0x20, 0xff, 0xff, 0xff, 1, 2, 3])
    expect(await decoder.decode(payload, ['zstd'], MAX)).toMatchObject({ ok: false })
  })
})

describe('zstd bombs stop at the limit', () => {
  const limit = 8 * KILO * KILO
  const full = 128 * KILO
  const ofBlocks = (blocks: Buffer[]) =>
    Buffer.concat([Buffer.from([...MAGIC, 0x00, 0x60]), ...blocks, repeated(66, 1, true)])

  test.each([
    ['zeros', packed(Buffer.alloc(40 * KILO * KILO), 1)],
    ['a gigabyte in 32 KB', ofBlocks(Array.from({ length: 8_192 }, () => repeated(65, full)))],
    [
      'small blocks, then full ones',
      ofBlocks(Array.from({ length: 9_000 }, (_, i) => repeated(65, i < 8_000 ? 3 : full))),
    ],
  ])('%s', async (_, payload) => {
    const { body, cut } = await decoded(payload, limit)
    expect(cut).toBe('limit')
    expect(body.length).toBe(limit)
  })

  test('frames without end', async () => {
    const one = Buffer.concat([Buffer.from([...MAGIC, 0x00, 0x20]), repeated(65, 1, true)])
    const { body, cut } = await decoded(Buffer.concat(Array.from({ length: 50_000 }, () => one)))
    expect(cut).toBe('limit')
    expect(body.length).toBeLessThan(10_000)
  })

  test('a smaller limit than decoding at once allows, between two frames too', async () => {
    const half = packed(page.subarray(0, 1000))
    for (const payload of [packed(page), Buffer.concat([half, packed(page.subarray(1000))])])
      expect(await decoded(payload, 1000)).toEqual({ ok: true, body: page.subarray(0, 1000), cut: 'limit' })
    expect(await decoded(half, 1000)).toMatchObject({ cut: null })
  })
})

test('spoiled frames neither crash nor exceed the limit', async () => {
  const payload = Buffer.concat([packed(page), skippable(5), packed(large, 1), packed(pageOf(50), 19)])
  const edit = fc.record({ at: fc.nat(payload.length - 1), byte: fc.nat(255) })
  await fc.assert(
    fc.asyncProperty(
      fc.array(edit, { minLength: 1, maxLength: 4 }),
      fc.nat(600_000),
      async (edits, limit) => {
        const spoiled = Buffer.from(payload)
        for (const { at, byte } of edits) spoiled[at] = byte
        const result = await decoder.decode(spoiled, ['zstd'], limit)
        // A damaged magic number makes it something else, which is left as it is.
        if (result.ok && result.body !== spoiled) expect(result.body.length).toBeLessThanOrEqual(limit)
      },
    ),
    { numRuns: 300 },
  )
})
