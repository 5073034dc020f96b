import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readPages } from '../../test/kit/row-logs.js'
import { inDirectory, sampleRow } from '../../test/kit/store-samples.js'
import { PackBuilder } from './pack-builder.js'
import { segmentBuffers } from './segment.js'

const entry = fc.record({
  tenancy: fc.constantFrom('a 1', 'b 1', 'c 2'),
  text: fc.oneof(fc.constant(''), fc.string({ maxLength: 40 }), fc.constant('long '.repeat(40_000))),
  inTables: fc.boolean(),
})

it('a pack written again without some cells has the texts of the rows that stay, each with its own', () =>
  inDirectory(directory =>
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 12 }), fc.subarray(['a 1', 'c 2']), (entries, dropped) => {
        const builder = new PackBuilder({ agent: 'a', records: null, tables: true })
        for (const [i, { tenancy, text, inTables }] of entries.entries()) {
          const row = sampleRow({ url: `http://a.org/${i}`, text: new Uint8Array(Buffer.from(text)) })
          builder.add({ tenancy, row, inTables })
        }
        for (const tenancy of dropped) builder.drop(tenancy)
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
        const expected = entries.flatMap(({ tenancy, text, inTables }, i) =>
          inTables && !dropped.includes(tenancy) ? [[`http://a.org/${i}`, text]] : [],
        )
        expect(found).toEqual(expected)
        expect(pack.pages.rows).toBe(expected.length)
      }),
      { numRuns: 60 },
    ),
  ))
