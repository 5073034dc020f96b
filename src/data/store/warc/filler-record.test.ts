import { randomUUID } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { loadZstd } from '../../../model/bytes/index.js'
import { firstMember } from '../../../page/source/warc/index.js'
import { type Filler, fillerBytesMin, fillerRecords } from './filler-record.js'

const SIZES = [0, 1, 9, 58, 59, 99, 100, 5_000, 60_000, 60_100, 123_456, 1_000_000]

for (const codec of ['gzip', 'zstd'] as const) {
  describe(`records in the place of damaged ones (${codec})`, () => {
    const filler: Filler = { codec, date: '2026-01-02T03:04:05.678Z', newId: randomUUID }

    it('fill any place byte for byte, and each is a whole record', async () => {
      await loadZstd()
      for (const more of SIZES) {
        const bytes = fillerRecords(fillerBytesMin(filler) + more, filler)
        expect(bytes.length).toBe(fillerBytesMin(filler) + more)
        for (let at = 0; at < bytes.length; ) {
          const member = firstMember(bytes.subarray(at), 1e6)
          if (!member.ok) throw new Error(`${more} bytes: ${member.why} at ${at}`)
          const text = member.content.toString('latin1')
          const [head, block] = text.split('\r\n\r\n')
          expect(head).toMatch(/^WARC\/1\.1\r\nWARC-Type: metadata\r\n/)
          expect(Number(/Content-Length: (\d+)/.exec(head)?.[1])).toBe(block.length)
          at += member.length
        }
      }
    })

    it('are refused a place that is too small', () => {
      expect(() => fillerRecords(fillerBytesMin(filler) - 1, filler)).toThrow(RangeError)
    })
  })
}

describe('filler records', () => {
  it('are gzip to zlib', () => {
    const filler: Filler = { codec: 'gzip', date: '2026-01-02T03:04:05.678Z', newId: randomUUID }
    expect(gunzipSync(fillerRecords(70_000, filler)).toString('latin1')).toContain('orbweaver repair')
  })
})
