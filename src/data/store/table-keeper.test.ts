import { describe, expect, it } from 'vitest'
import { inDesk, LINKS_PER_PAGE, LONG_MS } from '../../../test/kit/table-desk.js'
import { convertLogs } from './tables/parquet/index.js'

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i + 1)

describe('damage', () => {
  it(
    'a damaged log is set aside and stays listed; the others become Parquet, and the crawl goes on',
    inDesk(async desk => {
      const keeper = await desk.keeper()
      await desk.begin()
      await desk.pages(12)
      const [second] = desk.entries('pages', '00002.rows')
      desk.flip(`tables/pages/${second}`, 100)
      await keeper.tend()
      expect(desk.damage).toEqual([
        expect.stringMatching(/^tables\/pages\/\d+-00002\.rows is damaged at byte 0/),
      ])
      await desk.pages(2)
      await desk.close()
      await desk.leave()
      await keeper.finish()
      expect(await desk.inParquet()).toEqual(upTo(14).filter(page => page !== 2))
      expect(await desk.linksInParquet()).toBe(14 * LINKS_PER_PAGE)
      expect(keeper.damaged).toEqual(desk.damage)
      expect(desk.listed).toMatchObject({ logs: 1 })
      expect(desk.entries('pages', '.rows')).toEqual([second])
    }),
  )

  it(
    'a damaged Parquet file is not merged into one that looks sound',
    inDesk(async desk => {
      for (let run = 0; run < 3; run++) {
        await desk.begin()
        await desk.page()
        await desk.close()
        await desk.leave()
        // No merge: a keeper of each run converts the log alone.
        await (await desk.keeper({ concat: () => Promise.reject(new Error('not now')) }))
          .finish()
          .catch(() => {})
      }
      const [first] = desk.entries('pages', '.parquet')
      desk.flip(`tables/pages/${first}`, 20)
      const keeper = await desk.keeper()
      await keeper.finish()
      expect(keeper.damaged).toEqual([`tables/pages/${first} is damaged at byte 0: the checksum differs`])
      expect(desk.entries('pages', '.parquet')).toHaveLength(2)
    }),
  )

  it(
    'a log that is gone at the end is told, not thrown',
    inDesk(async desk => {
      await desk.begin()
      await desk.pages(3)
      await desk.close()
      await desk.leave()
      const [second] = desk.entries('pages', '00002.rows')
      desk.remove(`tables/pages/${second}`)
      const keeper = await desk.keeper()
      await keeper.finish()
      expect(keeper.damaged).toEqual([`tables/pages/${second} is missing`])
      expect(await desk.inParquet()).toEqual([1, 3])
    }),
  )
})

describe('while the crawl goes on', () => {
  it(
    'ten full logs become one file, and fewer wait; the one being written is left alone',
    inDesk(async desk => {
      const keeper = await desk.keeper()
      await desk.begin()
      // The tenth log is the newest of its life: a pack may still come to it.
      await desk.pages(10)
      await keeper.tend()
      expect(desk.converted).toEqual([])
      await desk.page()
      await keeper.tend()
      expect(desk.converted).toEqual([10, 10])
      expect(desk.listed).toEqual({ files: 1, logs: 1 })
      expect(await desk.inParquet()).toEqual(upTo(10))
      await desk.pages(20)
      await keeper.tend()
      expect(desk.converted).toEqual([10, 10, 10, 10, 10, 10])
      expect(desk.listed).toEqual({ files: 3, logs: 1 })
      expect(await desk.inParquet()).toEqual(upTo(30))
      await desk.close()
    }),
  )

  it(
    'the logs stay for whoever has just listed them, and then go',
    inDesk(async desk => {
      const keeper = await desk.keeper()
      await desk.begin()
      await desk.pages(11)
      await keeper.tend()
      expect(desk.entries('pages', '.rows')).toHaveLength(11)
      desk.clock.advance(9_000)
      await keeper.tend()
      expect(desk.entries('pages', '.rows')).toHaveLength(11)
      desk.clock.advance(1_000)
      await keeper.tend()
      expect(desk.entries('pages', '.rows')).toHaveLength(1)
      await desk.close()
    }),
  )

  it(
    'the last log of a life that has left is not touched before its files are closed',
    inDesk(async desk => {
      const keeper = await desk.keeper()
      await desk.begin()
      await desk.pages(10)
      await desk.leave()
      await keeper.tend()
      expect(desk.converted).toEqual([])
      await desk.close()
      await keeper.tend()
      expect(desk.converted).toEqual([10, 10])
    }),
  )

  it(
    'what failed is tried again, and nothing is lost by it',
    inDesk(async desk => {
      let isFull = true
      const keeper = await desk.keeper({
        convert: async task => {
          if (isFull) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
          return convertLogs(task)
        },
      })
      await desk.begin()
      await desk.pages(11)
      await keeper.tend()
      expect(await desk.inParquet()).toEqual([])
      isFull = false
      await keeper.tend()
      expect(await desk.inParquet()).toEqual(upTo(10))
      await desk.close()
    }),
  )
})

describe('at the end', () => {
  it(
    'no row is left outside of Parquet, in as few files as there can be, and nothing else is in the folder',
    inDesk(async desk => {
      const keeper = await desk.keeper()
      await desk.begin()
      await desk.pages(11)
      await keeper.tend()
      await desk.pages(12)
      await desk.leave()
      await desk.close()
      await keeper.finish()
      expect(await desk.inParquet()).toEqual(upTo(23))
      expect(await desk.linksInParquet()).toBe(23 * LINKS_PER_PAGE)
      // 10 and 10, and the other three.
      expect(desk.listed).toEqual({ files: 3, logs: 0 })
      for (const table of ['pages', 'links'] as const) expect(desk.entries(table, '.rows')).toEqual([])
    }),
  )

  it(
    'what several stops left small becomes one file',
    inDesk(async desk => {
      for (let stop = 0; stop < 3; stop++) {
        const keeper = await desk.keeper()
        await desk.begin()
        await desk.pages(3)
        await desk.leave()
        await desk.close()
        await keeper.finish()
      }
      expect(await desk.inParquet()).toEqual(upTo(9))
      // Two small ones were merged by the second stop; that file counts as large, and the third stop's stands
      // beside it.
      expect(desk.listed).toEqual({ files: 2, logs: 0 })
    }),
  )
})

describe('after a crash', () => {
  it(
    'between the file and its swap, the rows are in Parquet once',
    inDesk(async desk => {
      const keeper = await desk.keeper({
        convert: async task => {
          convertLogs(task)
          throw new Error('killed')
        },
      })
      await desk.begin()
      await desk.pages(11)
      await keeper.tend()
      expect(desk.entries('pages', '.parquet')).toHaveLength(1)
      await desk.crash()
      expect(desk.entries('pages', '.parquet')).toEqual([])
      await (await desk.keeper()).finish()
      expect(await desk.inParquet()).toEqual(upTo(11))
      expect(await desk.linksInParquet()).toBe(11 * LINKS_PER_PAGE)
    }),
  )

  it(
    'between the swap and the removal of the logs, the rows are in Parquet once, and the logs go',
    inDesk(async desk => {
      const keeper = await desk.keeper()
      await desk.begin()
      await desk.pages(11)
      await keeper.tend()
      expect(desk.entries('pages', '.rows')).toHaveLength(11)
      await desk.crash()
      expect(desk.entries('pages', '.rows')).toHaveLength(1)
      await (await desk.keeper()).finish()
      expect(await desk.inParquet()).toEqual(upTo(11))
      expect(desk.entries('pages', '.rows')).toEqual([])
    }),
  )

  it(
    'a pack that was stored and not committed is in no table',
    inDesk(async desk => {
      await desk.keeper()
      await desk.begin()
      await desk.pages(3)
      await desk.page(false)
      await desk.crash()
      await (await desk.keeper()).finish()
      expect(await desk.inParquet()).toEqual(upTo(3))
    }),
  )
})

describe('somebody else has the coordinator’s seat', () => {
  it(
    'and the tables stay as they are',
    inDesk(async desk => {
      const keeper = await desk.keeper()
      await desk.begin()
      await desk.pages(11)
      desk.clock.advance(2 * LONG_MS)
      expect(await desk.ledger.takeSeat(await desk.ledger.join('another', 0), LONG_MS)).not.toBeNull()
      await keeper.tend()
      expect(desk.converted).toEqual([10])
      expect(desk.entries('pages', '.parquet')).toEqual([])
      expect((await desk.ledger.files()).filter(({ kind }) => kind === 'pages-log')).toHaveLength(11)
      await desk.close()
    }),
  )
})
