import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { WARCRecord, WARCSerializer } from 'warcio'
import { inDirectory, sampleExchange, sampleRow } from '../../../../test/kit/store-samples.js'
import { loadZstd } from '../../../model/bytes/index.js'
import { type Exchange, SeededRandom } from '../../../model/index.js'
import { firstMember, type RecordResult, responseOf, WarcReader } from '../../../page/source/warc/index.js'
import { ByteSink } from '../bytes/index.js'
import type { ArchiveFormat } from './archive-format.js'
import { type ArchivedRecord, warcRecords } from './warc-records.js'

const ZEROS_10_000 = '28b52ffd04484d000010000001000b8707580144e310'

const html = Buffer.from('<h1>Grüße</h1>'.repeat(2000))

function archive(
  exchanges: readonly Exchange[],
  format: ArchiveFormat,
): { bytes: Buffer; places: ArchivedRecord[] } {
  const sink = new ByteSink()
  const records = warcRecords(format, new SeededRandom(4))
  if (!records) throw new Error('an archive was asked for')
  records.appendInfo(sink, 'x.warc.gz', 0, { software: 'test' })
  const places = exchanges.map(exchange => records.appendExchange(sink, exchange, sampleRow()))
  return { bytes: Buffer.from(sink.view()), places }
}

async function readAll(path: string, committedBytes?: number): Promise<RecordResult[]> {
  const reader = await WarcReader.open(path)
  const results: RecordResult[] = []
  for await (const result of reader.records(committedBytes)) results.push(result)
  await reader.close()
  return results
}

const bodyOf = async (result: RecordResult): Promise<Buffer | undefined> =>
  result.ok ? (await responseOf(result.record))?.body : undefined

await loadZstd()

const formats: ArchiveFormat[] = [
  { codec: 'gzip', level: 1 },
  { codec: 'gzip', level: 6 },
  { codec: 'zstd', level: 1 },
  { codec: 'zstd', level: 19 },
]

describe('an archive is read back', () => {
  for (const format of formats) {
    it(`record by record and by place (${JSON.stringify(format)})`, () =>
      inDirectory(async directory => {
        const path = join(directory, 'x.warc')
        const exchanges = [
          sampleExchange({ rawBody: html }),
          sampleExchange({ rawBody: gzipSync(html), headers: ['Content-Encoding: gzip'] }),
          sampleExchange({ rawBody: brotliCompressSync(html), headers: ['Content-Encoding: br'] }),
          sampleExchange({
            rawBody: Buffer.from('never looked at'),
            payload: gzipSync(html),
            headers: ['Transfer-Encoding: chunked', 'Content-Encoding: gzip'],
          }),
          sampleExchange({
            rawBody: Buffer.from('never looked at'),
            payload: gzipSync(html),
            headers: ['Transfer-Encoding: gzip, chunked'],
          }),
          sampleExchange({ rawBody: Buffer.alloc(0) }),
          // Larger than what is read at once.
          sampleExchange({ rawBody: Buffer.from(Array.from({ length: 900_000 }, (_, i) => (i * i) >> 7)) }),
        ]
        const { bytes, places } = archive(exchanges, format)
        writeFileSync(path, bytes)
        const all = await readAll(path)
        expect(all.every(result => result.ok)).toBe(true)
        expect(all).toHaveLength(1 + 3 * exchanges.length)
        const responses = all.filter(result => result.ok && result.record.type === 'response')
        expect(responses.map(({ offset }) => offset)).toEqual(places.map(({ offset }) => offset))
        const reader = await WarcReader.open(path)
        for (const [i, { offset, length }] of places.entries()) {
          const expected = i < 5 ? html : exchanges[i].rawBody
          expect((await bodyOf(responses[i]))?.equals(expected)).toBe(true)
          expect((await bodyOf(await reader.record(offset, length)))?.equals(expected)).toBe(true)
        }
        await reader.close()
      }))
  }

  it.each(['gzip', 'zstd'] as const)(
    '%s: up to the committed byte; a torn or damaged record is a value',
    codec =>
      inDirectory(async directory => {
        const path = join(directory, 'x.warc')
        const exchanges = [sampleExchange({ rawBody: html }), sampleExchange()]
        const { bytes, places } = archive(exchanges, { codec, level: 1 })
        writeFileSync(path, bytes)
        expect(await readAll(path, places[1].offset)).toHaveLength(4)
        for (let end = places[1].offset + 1; end < places[1].offset + places[1].length; end += 5) {
          const results = await readAll(path, end)
          expect(results.map(({ ok }) => ok)).toEqual([true, true, true, true, false])
        }
        const broken = Buffer.from(bytes)
        broken[places[0].offset + 100] ^= 0x55
        writeFileSync(path, broken)
        const [, response] = await readAll(path)
        expect(response).toMatchObject({ ok: false, detail: 'the record is damaged' })
        const reader = await WarcReader.open(path)
        expect((await reader.record(places[0].offset, places[0].length)).ok).toBe(false)
        expect((await reader.record(places[1].offset, 10_000_000)).ok).toBe(false)
        expect((await reader.record(3, 50)).ok).toBe(false)
        await reader.close()
      }),
  )

  it('also where a record ends just behind what was read at once', () =>
    inDirectory(async directory => {
      const path = join(directory, 'x.warc.gz')
      const image = (bytes: number) =>
        sampleExchange({ rawBody: Buffer.alloc(bytes, 7), headers: ['Content-Type: image/png'] })
      // Stored, not deflated, so that its length follows that of the body.
      const firstBytes = (bytes: number) => {
        const { places, bytes: file } = archive([image(bytes)], { codec: 'gzip', level: 1 })
        return { file, end: places[0].offset + places[0].length }
      }
      const window = 256 * 1024
      const about = window - (firstBytes(window).end - window)
      for (let more = -2; more < 12; more++) {
        const { file, end } = firstBytes(about + more)
        expect(Math.abs(end - window)).toBeLessThan(16)
        writeFileSync(path, file)
        expect((await readAll(path)).map(({ ok }) => ok)).toEqual([true, true, true, true])
      }
    }))

  it('that others wrote, chunk framing and all', () =>
    inDirectory(async directory => {
      const path = join(directory, 'theirs.warc.gz')
      const record = WARCRecord.create(
        {
          url: 'http://example.org/',
          type: 'response',
          httpHeaders: { 'Transfer-Encoding': 'chunked', 'Content-Type': 'text/html' },
        },
        [Buffer.from('5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n')],
      )
      writeFileSync(path, await WARCSerializer.serialize(record, { gzip: true }))
      const [result] = await readAll(path)
      expect((await bodyOf(result))?.toString()).toBe('hello world')
    }))

  it('never more of a body than was asked for', () =>
    inDirectory(async directory => {
      const path = join(directory, 'x.warc.gz')
      const bomb = sampleExchange({
        rawBody: gzipSync(Buffer.alloc(50_000_000)),
        headers: ['Content-Encoding: gzip'],
      })
      writeFileSync(path, archive([bomb], { codec: 'gzip', level: 1 }).bytes)
      const [, response] = await readAll(path)
      if (!response.ok) throw new Error(response.detail)
      expect((await responseOf(response.record, 1000))?.body.length).toBe(1000)
      expect(readFileSync(path).length).toBeLessThan(100_000)
    }))

  it('zstd frames of others: with a checksum, without a size, and never more than was asked for', () => {
    // Made by `zstd -1 --check` from a pipe: the frame does not say how much it holds.
    const frame = Buffer.from(ZEROS_10_000, 'hex')
    expect(firstMember(frame, 10_000)).toMatchObject({ ok: true, length: frame.length })
    expect(firstMember(frame, 9_999)).toEqual({ ok: false, why: 'too-large' })
    const wrongSum = Buffer.from(frame)
    wrongSum[frame.length - 1] ^= 1
    expect(firstMember(wrongSum, 10_000)).toEqual({ ok: false, why: 'damaged' })
    // A head that promises 2 GB and a block of nothing.
    const promise = Buffer.from('28b52ffda0ffffff7f010000', 'hex')
    expect(firstMember(promise, 1_000_000)).toEqual({ ok: false, why: 'too-large' })
    for (let end = 0; end < frame.length; end++)
      expect(firstMember(frame.subarray(0, end), 10_000)).toEqual({ ok: false, why: 'need' })
  })

  it('not at all where it holds no response', async () => {
    const headers = new Map<string, string>()
    expect(await responseOf({ type: 'metadata', headers, block: Buffer.from('via: x\r\n') })).toBeNull()
    expect(await responseOf({ type: 'response', headers, block: Buffer.from('junk\r\n\r\nmore') })).toBeNull()
  })
})
