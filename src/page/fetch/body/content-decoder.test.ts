import * as zlib from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ContentDecoder } from './content-decoder.js'

const MAX = 32 * 1024 * 1024
const decoder = new ContentDecoder(2)
const page = Buffer.from(
  Array.from({ length: 600 }, (_, i) => `<p>line ${i} ${(i * 7919) % 1013}</p>`).join('\n'),
)

async function body(payload: Buffer, codings: string[], maxBytes = MAX): Promise<Buffer> {
  const decoded = await decoder.decode(payload, codings, maxBytes)
  if (!decoded.ok) throw new Error(decoded.detail)
  return decoded.body
}

describe('content encodings are undone', () => {
  test.each([
    ['gzip', zlib.gzipSync(page)],
    ['x-gzip', zlib.gzipSync(page)],
    ['deflate', zlib.deflateSync(page)],
    ['deflate', zlib.deflateRawSync(page)],
    ['br', zlib.brotliCompressSync(page)],
    // Each under the other's name.
    ['deflate', zlib.gzipSync(page)],
    ['gzip', zlib.deflateSync(page)],
    ['gzip', Buffer.concat([zlib.gzipSync(page.subarray(0, 100)), zlib.gzipSync(page.subarray(100))])],
  ])('%s', async (name, payload) => {
    expect((await body(payload, [name])).equals(page)).toBe(true)
  })

  test('stacked ones from the last to the first', async () => {
    expect((await body(zlib.brotliCompressSync(zlib.gzipSync(page)), ['gzip', 'br'])).equals(page)).toBe(true)
  })

  test('but not more than two', () => {
    expect(decoder.decode(page, ['gzip', 'br', 'gzip'], MAX)).toMatchObject({ ok: false })
  })

  test('an empty body stays empty', async () => {
    expect((await body(Buffer.alloc(0), ['gzip'])).length).toBe(0)
    expect((await body(zlib.gzipSync(''), ['gzip'])).length).toBe(0)
  })

  test('small bodies need no promise', () => {
    expect(decoder.decode(zlib.gzipSync(page), ['gzip'], MAX)).not.toBeInstanceOf(Promise)
  })

  test('bodies over a quarter of a megabyte are streamed', async () => {
    const noise = Buffer.from(Array.from({ length: 400_000 }, (_, i) => Math.imul(i, 2654435761) >>> 24))
    const shuffled = noise.map((value, i) => value ^ (Math.imul(i, i) >>> 7))
    const payload = zlib.gzipSync(shuffled)
    expect(payload.length).toBeGreaterThan(256 * 1024)
    const decoded = decoder.decode(payload, ['gzip'], MAX)
    expect(decoded).toBeInstanceOf(Promise)
    expect(await decoded).toMatchObject({ ok: true, cut: null })
    expect((await body(payload, ['gzip'])).equals(Buffer.from(shuffled))).toBe(true)
  })
})

describe('labels that lie', () => {
  test.each(['gzip', 'zstd', 'compress', 'utf-8', 'none'])(
    '%s on plain text is taken as plain',
    async name => {
      expect((await body(page, [name])).equals(page)).toBe(true)
    },
  )

  test.each(['br', 'deflate'])('%s that cannot be decoded at all is refused', name => {
    expect(decoder.decode(Buffer.alloc(300, 0xff), [name], MAX)).toMatchObject({ ok: false })
  })

  test('real compress is refused, it cannot be undone', () => {
    expect(decoder.decode(Buffer.from([0x1f, 0x9d, 0x90, 1, 2]), ['compress'], MAX)).toMatchObject({
      ok: false,
    })
  })
})

describe('broken streams keep what decoded', () => {
  const gz = zlib.gzipSync(page)

  test.each([
    ['gzip', zlib.gzipSync(page)],
    ['gzip', Buffer.concat([zlib.gzipSync(page.subarray(0, 9)), zlib.gzipSync(page.subarray(9))])],
    ['deflate', zlib.deflateSync(page)],
    ['deflate', zlib.deflateRawSync(page)],
    ['br', zlib.brotliCompressSync(page)],
  ])('%s that ends early says so, wherever it ends', async (name, payload) => {
    const whole = await decoder.decode(payload, [name], MAX)
    expect(whole).toMatchObject({ ok: true, cut: null })
    for (let end = payload.length - 1; end > 18; end -= 7) {
      const decoded = await decoder.decode(payload.subarray(0, end), [name], MAX)
      expect(decoded).toMatchObject({ ok: true, cut: 'early' })
      if (decoded.ok) expect(page.subarray(0, decoded.body.length).equals(decoded.body)).toBe(true)
    }
  })

  test('so does one of two on top of each other, and one that is streamed', async () => {
    const inner = zlib.gzipSync(page)
    const stacked = zlib.brotliCompressSync(inner.subarray(0, inner.length - 9))
    expect(await decoder.decode(stacked, ['gzip', 'br'], MAX)).toMatchObject({ ok: true, cut: 'early' })
    const large = zlib.gzipSync(Buffer.alloc(6 * 1024 * 1024, page))
    expect(await decoder.decode(large, ['gzip'], MAX)).toMatchObject({ ok: true, cut: null })
    const cut = await decoder.decode(large.subarray(0, -9), ['gzip'], MAX)
    expect(cut).toMatchObject({ ok: true, cut: 'early' })
    expect(cut.ok && cut.body.length).toBeGreaterThan(5 * 1024 * 1024)
  })

  test.each(['\n', 'trailing bytes', '\0\0\0'])(
    'what follows a whole body is passed over: %j',
    async behind => {
      const huge = Buffer.alloc(6 * 1024 * 1024, page)
      for (const bytes of [page, huge]) {
        const padded = Buffer.concat([zlib.gzipSync(bytes), Buffer.from(behind)])
        const decoded = await decoder.decode(padded, ['gzip'], MAX)
        expect(decoded).toMatchObject({ ok: true, cut: null })
        expect(decoded.ok && decoded.body.equals(bytes)).toBe(true)
      }
    },
  )

  test('cut short', async () => {
    const half = await body(gz.subarray(0, gz.length >> 1), ['gzip'])
    expect(half.length).toBeGreaterThan(1000)
    expect(page.subarray(0, half.length).equals(half)).toBe(true)
  })

  test('cut short, and too large to decode at once', async () => {
    const large = Buffer.alloc(6 * 1024 * 1024, page)
    const kept = await body(zlib.gzipSync(large).subarray(0, -20), ['gzip'])
    expect(kept.length).toBeGreaterThan(large.length / 2)
    expect(large.subarray(0, kept.length).equals(kept)).toBe(true)
  })

  test('wrong checksum: the whole text', async () => {
    const wrong = Buffer.from(gz)
    wrong[wrong.length - 8] ^= 0xff
    expect(await decoder.decode(wrong, ['gzip'], MAX)).toEqual({ ok: true, body: page, cut: null })
  })

  test('corrupt tail: what came before it', async () => {
    const corrupt = Buffer.concat([gz.subarray(0, gz.length - 300), Buffer.alloc(300, 0xff)])
    const kept = await body(corrupt, ['gzip'])
    expect(kept.length).toBeGreaterThan(page.length / 2)
    expect(page.subarray(0, 5000).equals(kept.subarray(0, 5000))).toBe(true)
  })

  test('gzip magic and nothing sound behind it is refused', () => {
    expect(
      decoder.decode(Buffer.from([0x1f, 0x8b, 9, 0, 0, 0, 0, 0, 0, 0, 7, 7]), ['gzip'], MAX),
    ).toMatchObject({
      ok: false,
    })
  })
})

describe('bombs stop at the limit', () => {
  const zeros = Buffer.alloc(40 * 1024 * 1024)

  test.each([
    ['gzip', zlib.gzipSync(zeros)],
    ['br', zlib.brotliCompressSync(zeros, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } })],
    ['deflate', zlib.deflateSync(zeros)],
  ])('%s', async (name, payload) => {
    const decoded = await decoder.decode(payload, [name], 8 * 1024 * 1024)
    expect(decoded).toMatchObject({ ok: true, cut: 'limit' })
    expect(decoded.ok && decoded.body.length).toBe(8 * 1024 * 1024)
  })

  test('gzip in gzip', async () => {
    const decoded = await decoder.decode(zlib.gzipSync(zlib.gzipSync(zeros)), ['gzip', 'gzip'], 1024 * 1024)
    expect(decoded).toMatchObject({ ok: true, cut: 'limit' })
    expect(decoded.ok && decoded.body.length).toBe(1024 * 1024)
  })

  test('at a smaller limit than decoding at once allows', async () => {
    const decoded = await decoder.decode(zlib.gzipSync(page), ['gzip'], 1000)
    expect(decoded).toMatchObject({ ok: true, cut: 'limit' })
    expect(decoded.ok && decoded.body.equals(page.subarray(0, 1000))).toBe(true)
  })
})

test('random bytes under any label neither crash nor hang', async () => {
  const label = fc.constantFrom('gzip', 'deflate', 'br', 'zstd', 'identity', 'x-gzip', 'pack200-gzip')
  const magic = fc.constantFrom('', '\x1f\x8b\x08\0\0\0\0\0\0\x03', '\x78\x9c', '\x28\xb5\x2f\xfd')
  await fc.assert(
    fc.asyncProperty(
      fc.array(label, { maxLength: 3 }),
      magic,
      fc.uint8Array({ maxLength: 400 }),
      async (l, m, b) => {
        const decoded = await decoder.decode(Buffer.concat([Buffer.from(m, 'latin1'), b]), l, 2000)
        if (decoded.ok) expect(decoded.body.length).toBeLessThanOrEqual(2410)
      },
    ),
    { numRuns: 500 },
  )
})
