import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type LinkRow, pageLog, readLinks, readPages } from '../../../../test/kit/row-logs.js'
import { anyRow, anyUrl, inDirectory, sampleRow } from '../../../../test/kit/store-samples.js'
import { LIMITS, type PageRow } from '../../../model/index.js'
import { ByteSink } from '../bytes/index.js'
import { appendLinks } from './link-rows.js'
import { DamagedFileError, readSegments, salvageSegments, segmentBuffers } from './segment.js'

const header = { pack: 'p-1', agent: 'agent ä', warc: 'archive/x-1-00001.warc.gz', baseOffset: 2 ** 40 + 1 }

function rowsOf(path: string, bytes: number): PageRow[] {
  return readPages(path, bytes).map(({ row }) => row)
}

describe('row logs', () => {
  it('give back every page row as it was put in', () =>
    inDirectory(directory => {
      const path = join(directory, 'pages')
      fc.assert(
        fc.property(fc.array(anyRow, { maxLength: 8 }), rows => {
          const log = pageLog(rows, header)
          writeFileSync(path, log)
          expect(rowsOf(path, log.length)).toEqual(rows)
        }),
      )
    }))

  it('give back every link, however many a page has', () =>
    inDirectory(directory => {
      const path = join(directory, 'links')
      const page = fc.record({
        url: anyUrl,
        targets: fc.array(anyUrl, { maxLength: 30 }),
        copies: fc.constantFrom(1, 90),
      })
      fc.assert(
        fc.property(fc.array(page, { maxLength: 4 }), pages => {
          const sink = new ByteSink(1)
          const expected: LinkRow[] = []
          for (const { url, targets, copies } of pages) {
            const all = Array.from({ length: copies }, () => targets).flat()
            const kinds = Uint8Array.from(all, (_, i) => i % 128)
            appendLinks(sink, url, { targets: all, kinds })
            for (const [i, target] of all.entries()) expected.push({ url, target, kind: kinds[i] })
          }
          const log = Buffer.concat(segmentBuffers({ table: 'links', ...header }, sink.view()))
          writeFileSync(path, log)
          expect(readLinks(path, log.length)).toEqual(expected)
        }),
        { numRuns: 40 },
      )
    }))

  it('say which pack, agent and WARC their rows belong to, and are cut into bounded segments', () =>
    inDirectory(directory => {
      const path = join(directory, 'pages')
      const title = 'x'.repeat(LIMITS.segmentBytes / 3 - 1024)
      const rows = Array.from({ length: 7 }, () => sampleRow({ title, text: new Uint8Array() }))
      const log = pageLog(rows, header)
      writeFileSync(path, log)
      const segments = Array.from(readSegments(path, log.length), segment => ({
        ...segment,
        rows: segment.rows.length,
      }))
      expect(segments.length).toBe(3)
      for (const { rows, ...rest } of segments) {
        expect(rest).toEqual({ table: 'pages', ...header })
        expect(rows).toBeLessThanOrEqual(LIMITS.segmentBytes)
      }
    }))

  it('are read up to the committed byte and no further', () =>
    inDirectory(directory => {
      const path = join(directory, 'pages')
      const log = pageLog([sampleRow()], header)
      writeFileSync(path, log)
      appendFileSync(path, 'a torn tail')
      expect(rowsOf(path, log.length)).toHaveLength(1)
      expect(rowsOf(path, 0)).toEqual([])
    }))

  it('notice any changed byte and any length that is not a commit', () =>
    inDirectory(directory => {
      const path = join(directory, 'pages')
      const log = pageLog([sampleRow({ text: new Uint8Array(0) })], header)
      for (let at = 0; at < log.length; at++) {
        const bad = Buffer.from(log)
        bad[at] ^= 1
        writeFileSync(path, bad)
        expect(() => rowsOf(path, bad.length), `byte ${at}`).toThrow(DamagedFileError)
      }
      writeFileSync(path, log)
      for (let bytes = 1; bytes < log.length; bytes++)
        expect(() => rowsOf(path, bytes)).toThrow(DamagedFileError)
      expect(() => rowsOf(path, log.length + 1)).toThrow(DamagedFileError)
    }))

  it('mend a text that was cut in mid-character', () =>
    inDirectory(directory => {
      const path = join(directory, 'pages')
      const log = pageLog([sampleRow({ text: new Uint8Array([0x61, 0xc3]) })], header)
      writeFileSync(path, log)
      expect(Buffer.from(rowsOf(path, log.length)[0].text).toString()).toBe('a\ufffd')
      expect(readFileSync(path).length).toBe(log.length)
    }))
})

describe('what is sound in a damaged row log', () => {
  const packs = ['p-1', 'p-2', 'p-3'].map(pack => pageLog([sampleRow()], { ...header, pack }))
  const [first, second, third] = packs.map(({ length }) => length)
  const soundIn = (path: string, bytes: number) =>
    [...salvageSegments(path, bytes)].map(segment => segment && `${segment.pack} ${segment.table}`)
  const all = ['p-1', 'p-2', 'p-3'].map(pack => `${pack} pages`)

  it('is every segment but the one with the flipped bit', () =>
    inDirectory(directory => {
      const path = join(directory, 'pages')
      const log = Buffer.concat(packs)
      log[first + second - 3] ^= 8
      writeFileSync(path, log)
      const found = soundIn(path, log.length).filter(entry => entry === null || entry.endsWith('pages'))
      expect(found.filter(entry => entry !== null)).toContain(all[0])
      expect(found.filter(entry => entry !== null)).toContain(all[2])
      expect(soundIn(path, log.length)).toContain(null)
    }))

  it('is all before a segment whose length is damaged, and nothing behind it', () =>
    inDirectory(directory => {
      const path = join(directory, 'pages')
      const log = Buffer.concat(packs)
      log.writeUInt32LE(0xffff_fff0, first + 12)
      writeFileSync(path, log)
      const found = soundIn(path, log.length)
      expect(found.at(-1)).toBeNull()
      expect(found.slice(0, -1).every(entry => entry?.startsWith('p-1'))).toBe(true)
    }))

  it('is all before a cut', () =>
    inDirectory(directory => {
      const path = join(directory, 'pages')
      writeFileSync(path, Buffer.concat(packs).subarray(0, first + second))
      const found = soundIn(path, first + second + third)
      expect(found.at(-1)).toBeNull()
      expect(found.slice(0, -1).some(entry => entry?.startsWith('p-2'))).toBe(true)
    }))
})
