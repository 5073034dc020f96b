/** Rows of items to Parquet, read by a reader that shares nothing with the writer. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import { expect, it } from 'vitest'
import { inDirectory } from '../../../../../test/kit/store-samples.js'
import { type Item, type ItemRow, TrustedGuest } from '../../../../page/guest/index.js'
import { ByteSink } from '../../bytes/index.js'
import { appendItems, segmentBuffers } from '../index.js'
import { convertLogs, groupBySchema } from './index.js'

const HEADER = { table: 'items', pack: 'p', agent: 'a', warc: '', baseOffset: 0 } as const

/** As a guest without a schema returns them. */
async function itemsOf(rows: readonly ItemRow[]): Promise<readonly Item[]> {
  const guest = new TrustedGuest({ extract: () => rows }, { keywords: [], minKeywords: 1, keep: undefined })
  const page = { facts: {}, links: [], text: () => '', html: () => '', body: Buffer.alloc(0) }
  const judgement = await guest.judge(page as unknown as Parameters<TrustedGuest['judge']>[0])
  return judgement.ok ? judgement.items : expect.fail(judgement.failure.detail)
}

async function convert(
  folder: string,
  name: string,
  pages: readonly (readonly ItemRow[])[],
): Promise<string> {
  const sink = new ByteSink()
  for (const [i, rows] of pages.entries()) appendItems(sink, `http://a.test/${i}`, await itemsOf(rows))
  const bytes = Buffer.concat(segmentBuffers(HEADER, sink.view()))
  const [path, outPath] = [join(folder, `${name}.rows`), join(folder, `${name}.parquet`)]
  writeFileSync(path, bytes)
  convertLogs({ table: 'items', logs: [{ path, committedBytes: bytes.length }], outPath })
  return outPath
}

it('columns are those of the rows, with their types; mixed values become text', () =>
  inDirectory(async folder => {
    const many = Array.from({ length: 300 }, (_, i) => ({ n: i / 4, even: i % 2 === 0 }))
    const path = await convert(folder, 'x', [
      [
        { n: -1.5, mixed: 1, any: { a: 1 } },
        { mixed: 'two', any: 'b' },
      ],
      many,
    ])
    const rows = await parquetReadObjects({ file: await asyncBufferFromFile(path) })
    const keys = { page_url: 'http://a.test/0' }
    expect(rows.slice(0, 2)).toEqual([
      { ...keys, page_row: 0, n: -1.5, mixed: '1', any: '{"a":1}', even: null },
      { ...keys, page_row: 1, n: null, mixed: 'two', any: '"b"', even: null },
    ])
    expect(rows.slice(2).map(({ n, even }) => ({ n, even }))).toEqual(many)
  }))

it('files with other columns are told apart, so that only those with the same are merged', () =>
  inDirectory(async folder => {
    const paths = [
      await convert(folder, 'a', [[{ x: 1 }]]),
      await convert(folder, 'b', [[{ x: 'text' }]]),
      await convert(folder, 'c', [[{ x: 2 }]]),
    ]
    expect(groupBySchema(paths)).toEqual([[0, 2], [1]])
  }))
