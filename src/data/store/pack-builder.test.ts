import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readPages } from '../../../test/kit/row-logs.js'
import { inDirectory, sampleExchange, sampleRow } from '../../../test/kit/store-samples.js'
import { LinkKind, SeededRandom } from '../../model/index.js'
import { PackBuilder } from './pack-builder.js'
import { segmentBuffers } from './tables/index.js'
import { warcRecords } from './warc/index.js'

const entry = fc.record({
  leaseKey: fc.constantFrom('a 1', 'b 1', 'c 2'),
  text: fc.oneof(fc.constant(''), fc.string({ maxLength: 40 }), fc.constant('long '.repeat(40_000))),
  inTables: fc.boolean(),
})

it('a pack written again without some cells has the texts of the rows that stay, each with its own', () =>
  inDirectory(directory =>
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 12 }), fc.subarray(['a 1', 'c 2']), (entries, dropped) => {
        const builder = new PackBuilder({ agent: 'a', records: null, tables: true })
        for (const [i, { leaseKey, text, inTables }] of entries.entries()) {
          const row = sampleRow({ url: `http://a.org/${i}`, text: new Uint8Array(Buffer.from(text)) })
          builder.add({ leaseKey, row, inTables })
        }
        for (const leaseKey of dropped) builder.drop(leaseKey)
        const pack = builder.toPack('p')
        const header = { pack: 'p', agent: 'a', warc: '', baseOffset: 0 }
        const log = Buffer.concat([
          ...segmentBuffers({ ...header, table: 'pages' }, pack.pages.bytes),
          ...segmentBuffers({ ...header, table: 'texts' }, pack.texts),
        ])
        const path = join(directory, 'log')
        writeFileSync(path, log)
        const found = readPages(path, log.length).map(({ row }) => [
          row.url,
          Buffer.from(row.text).toString(),
        ])
        const expected = entries.flatMap(({ leaseKey, text, inTables }, i) =>
          inTables && !dropped.includes(leaseKey) ? [[`http://a.org/${i}`, text]] : [],
        )
        expect(found).toEqual(expected)
        expect(pack.pages.rows).toBe(expected.length)
      }),
      { numRuns: 60 },
    ),
  ))

it('an entry that cannot be encoded leaves the pack as it was', () => {
  const records = () => warcRecords({ codec: 'gzip', level: 1 }, new SeededRandom(1))
  const text = new Uint8Array(Buffer.from('some text'))
  const links = { targets: ['http://b.org/'], kinds: [LinkKind.anchor] }
  const good = (url: string) => ({
    leaseKey: 'a 1',
    row: sampleRow({ url, text }),
    exchange: sampleExchange({ url }),
    links,
  })
  const throwing = {
    get targets(): never {
      throw new TypeError('no targets')
    },
    kinds: [],
  }
  const [spoiled, whole] = [records(), records()].map(
    each => new PackBuilder({ agent: 'a', records: each, tables: true }),
  )
  for (const url of ['http://a.org/1', 'http://a.org/2']) {
    whole!.add(good(url))
    spoiled!.add(good(url))
    expect(() => spoiled!.add({ ...good('http://a.org/bad'), links: throwing })).toThrow('no targets')
  }
  const [found, expected] = [spoiled!.toPack('p'), whole!.toPack('p')]
  expect(found.cdxj.rows).toBe(2)
  expect(found.links).toEqual(expected.links)
  expect(found.texts).toEqual(expected.texts)
  expect(found.hosts).toEqual(expected.hosts)
  expect([found.pages.rows, found.pages.bytes.length]).toEqual([2, expected.pages.bytes.length])
})
