import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { pageLog } from '../../test/kit/row-logs.js'
import { inDirectory, sampleRow } from '../../test/kit/store-samples.js'
import type { FileRow } from '../ledger/index.js'
import { TableFiles } from './table-files.js'
import { tableSources } from './table-sources.js'

const NAME = 'log.rows'
const urlOf = (pack: number) => `http://a.test/${pack}`
const textOf = (pack: number) => `text of ${pack} `.repeat(20)
const packs = [1, 2, 3, 4, 5].map(pack =>
  pageLog([sampleRow({ url: urlOf(pack), text: Buffer.from(textOf(pack)) })], {
    ...{ pack: `p-${pack}`, agent: 'a', warc: '', baseOffset: 0 },
  }),
)
const startOf = (pack: number) => packs.slice(0, pack - 1).reduce((sum, { length }) => sum + length, 0)

/** The rows that can be read after one bit was flipped, each with its text. */
async function rowsAfterFlip(at: number | null): Promise<string[]> {
  let rows: string[] = []
  await inDirectory(async directory => {
    const log = Buffer.concat(packs)
    if (at !== null) log[at] ^= 8
    writeFileSync(join(directory, NAME), log)
    const file = { name: NAME, kind: 'pages-log', bytes: log.length, crc32: 0, incarnation: 1, closed: true }
    const damaged = new Set(at === null ? [] : [NAME])
    const task = { directory, scratch: directory, files: [file as FileRow], damaged }
    const [{ path }] = tableSources(task, 'pages')
    if (path === null) return
    const tables = await TableFiles.open(directory)
    try {
      for await (const { row } of tables.pages(path, 'true'))
        rows = [...rows, `${row.url} ${Buffer.from(row.text)}`]
    } finally {
      await tables.close()
    }
  })
  return rows
}

const kept = (...numbers: number[]) => numbers.map(pack => `${urlOf(pack)} ${textOf(pack)}`)

it('keeps the packs of a damaged row log but for those beside the damage', async () => {
  expect(await rowsAfterFlip(null)).toEqual(kept(1, 2, 3, 4, 5))
  // In the first segment of pack 3, which may have been the last of pack 2.
  expect(await rowsAfterFlip(startOf(3) + packs[2].length / 2 - 40)).toEqual(kept(1, 4, 5))
  // In the last segment of pack 3, which may have been the first of pack 4.
  expect(await rowsAfterFlip(startOf(4) - 3)).toEqual(kept(1, 2, 5))
})
