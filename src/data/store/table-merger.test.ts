import { describe, expect, it } from 'vitest'
import { inFixture, LINKS_PER_PAGE, LONG_MS } from '../../../test/kit/table-fixture.js'
import { convertLogs } from './tables/parquet/index.js'

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i + 1)

describe('damage', () => {
  it(
    'a damaged log is set aside and stays listed; the others become Parquet, and the crawl goes on',
    inFixture(async fixture => {
      const keeper = await fixture.keeper()
      await fixture.begin()
      await fixture.pages(12)
      const [second] = fixture.entries('pages', '00002.rows')
      fixture.flip(`tables/pages/${second}`, 100)
      await keeper.mergeIfDue()
      expect(fixture.damage).toEqual([
        expect.stringMatching(/^tables\/pages\/\d+-00002\.rows is damaged at byte 0/),
      ])
      await fixture.pages(2)
      await fixture.close()
      await fixture.leave()
      await keeper.finish()
      expect(await fixture.inParquet()).toEqual(upTo(14).filter(page => page !== 2))
      expect(await fixture.linksInParquet()).toBe(14 * LINKS_PER_PAGE)
      expect(keeper.damaged).toEqual(fixture.damage)
      expect(fixture.listed).toMatchObject({ logs: 1 })
      expect(fixture.entries('pages', '.rows')).toEqual([second])
    }),
  )

  it(
    'a damaged Parquet file is not merged into one that looks sound',
    inFixture(async fixture => {
      for (let run = 0; run < 3; run++) {
        await fixture.begin()
        await fixture.page()
        await fixture.close()
        await fixture.leave()
        // No merge: a keeper of each run converts the log alone.
        await (await fixture.keeper({ concat: () => Promise.reject(new Error('not now')) }))
          .finish()
          .catch(() => {})
      }
      const [first] = fixture.entries('pages', '.parquet')
      fixture.flip(`tables/pages/${first}`, 20)
      const keeper = await fixture.keeper()
      await keeper.finish()
      expect(keeper.damaged).toEqual([`tables/pages/${first} is damaged at byte 0: the checksum differs`])
      expect(fixture.entries('pages', '.parquet')).toHaveLength(2)
    }),
  )

  it(
    'a log that is gone at the end is told, not thrown',
    inFixture(async fixture => {
      await fixture.begin()
      await fixture.pages(3)
      await fixture.close()
      await fixture.leave()
      const [second] = fixture.entries('pages', '00002.rows')
      fixture.remove(`tables/pages/${second}`)
      const keeper = await fixture.keeper()
      await keeper.finish()
      expect(keeper.damaged).toEqual([`tables/pages/${second} is missing`])
      expect(await fixture.inParquet()).toEqual([1, 3])
    }),
  )
})

describe('while the crawl goes on', () => {
  it(
    'ten full logs become one file, and fewer wait; the one being written is left alone',
    inFixture(async fixture => {
      const keeper = await fixture.keeper()
      await fixture.begin()
      // The tenth log is the newest of its incarnation: a pack may still come to it.
      await fixture.pages(10)
      await keeper.mergeIfDue()
      expect(fixture.converted).toEqual([])
      await fixture.page()
      await keeper.mergeIfDue()
      expect(fixture.converted).toEqual([10, 10])
      expect(fixture.listed).toEqual({ files: 1, logs: 1 })
      expect(await fixture.inParquet()).toEqual(upTo(10))
      await fixture.pages(20)
      await keeper.mergeIfDue()
      expect(fixture.converted).toEqual([10, 10, 10, 10, 10, 10])
      expect(fixture.listed).toEqual({ files: 3, logs: 1 })
      expect(await fixture.inParquet()).toEqual(upTo(30))
      await fixture.close()
    }),
  )

  it(
    'the logs stay for whoever has just listed them, and then go',
    inFixture(async fixture => {
      const keeper = await fixture.keeper()
      await fixture.begin()
      await fixture.pages(11)
      await keeper.mergeIfDue()
      expect(fixture.entries('pages', '.rows')).toHaveLength(11)
      fixture.clock.advance(9_000)
      await keeper.mergeIfDue()
      expect(fixture.entries('pages', '.rows')).toHaveLength(11)
      fixture.clock.advance(1_000)
      await keeper.mergeIfDue()
      expect(fixture.entries('pages', '.rows')).toHaveLength(1)
      await fixture.close()
    }),
  )

  it(
    'the last log of an incarnation that has left is not touched before its files are closed',
    inFixture(async fixture => {
      const keeper = await fixture.keeper()
      await fixture.begin()
      await fixture.pages(10)
      await fixture.leave()
      await keeper.mergeIfDue()
      expect(fixture.converted).toEqual([])
      await fixture.close()
      await keeper.mergeIfDue()
      expect(fixture.converted).toEqual([10, 10])
    }),
  )

  it(
    'what failed is tried again, and nothing is lost by it',
    inFixture(async fixture => {
      let isFull = true
      const keeper = await fixture.keeper({
        convert: async task => {
          if (isFull) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
          return convertLogs(task)
        },
      })
      await fixture.begin()
      await fixture.pages(11)
      await keeper.mergeIfDue()
      expect(await fixture.inParquet()).toEqual([])
      isFull = false
      await keeper.mergeIfDue()
      expect(await fixture.inParquet()).toEqual(upTo(10))
      await fixture.close()
    }),
  )
})

describe('at the end', () => {
  it(
    'no row is left outside of Parquet, in as few files as there can be, and nothing else is in the folder',
    inFixture(async fixture => {
      const keeper = await fixture.keeper()
      await fixture.begin()
      await fixture.pages(11)
      await keeper.mergeIfDue()
      await fixture.pages(12)
      await fixture.leave()
      await fixture.close()
      await keeper.finish()
      expect(await fixture.inParquet()).toEqual(upTo(23))
      expect(await fixture.linksInParquet()).toBe(23 * LINKS_PER_PAGE)
      // 10 and 10, and the other three.
      expect(fixture.listed).toEqual({ files: 3, logs: 0 })
      for (const table of ['pages', 'links'] as const) expect(fixture.entries(table, '.rows')).toEqual([])
    }),
  )

  it(
    'what several stops left small becomes one file',
    inFixture(async fixture => {
      for (let stop = 0; stop < 3; stop++) {
        const keeper = await fixture.keeper()
        await fixture.begin()
        await fixture.pages(3)
        await fixture.leave()
        await fixture.close()
        await keeper.finish()
      }
      expect(await fixture.inParquet()).toEqual(upTo(9))
      // Two small ones were merged by the second stop; that file counts as large, and the third stop's stands
      // beside it.
      expect(fixture.listed).toEqual({ files: 2, logs: 0 })
    }),
  )
})

describe('after a crash', () => {
  it(
    'between the file and its swap, the rows are in Parquet once',
    inFixture(async fixture => {
      const keeper = await fixture.keeper({
        convert: async task => {
          convertLogs(task)
          throw new Error('killed')
        },
      })
      await fixture.begin()
      await fixture.pages(11)
      await keeper.mergeIfDue()
      expect(fixture.entries('pages', '.parquet')).toHaveLength(1)
      await fixture.crash()
      expect(fixture.entries('pages', '.parquet')).toEqual([])
      await (await fixture.keeper()).finish()
      expect(await fixture.inParquet()).toEqual(upTo(11))
      expect(await fixture.linksInParquet()).toBe(11 * LINKS_PER_PAGE)
    }),
  )

  it(
    'between the swap and the removal of the logs, the rows are in Parquet once, and the logs go',
    inFixture(async fixture => {
      const keeper = await fixture.keeper()
      await fixture.begin()
      await fixture.pages(11)
      await keeper.mergeIfDue()
      expect(fixture.entries('pages', '.rows')).toHaveLength(11)
      await fixture.crash()
      expect(fixture.entries('pages', '.rows')).toHaveLength(1)
      await (await fixture.keeper()).finish()
      expect(await fixture.inParquet()).toEqual(upTo(11))
      expect(fixture.entries('pages', '.rows')).toEqual([])
    }),
  )

  it(
    'a pack that was stored and not committed is in no table',
    inFixture(async fixture => {
      await fixture.keeper()
      await fixture.begin()
      await fixture.pages(3)
      await fixture.page(false)
      await fixture.crash()
      await (await fixture.keeper()).finish()
      expect(await fixture.inParquet()).toEqual(upTo(3))
    }),
  )
})

describe('somebody else has the coordinator’s seat', () => {
  it(
    'and the tables stay as they are',
    inFixture(async fixture => {
      const keeper = await fixture.keeper()
      await fixture.begin()
      await fixture.pages(11)
      fixture.clock.advance(2 * LONG_MS)
      expect(await fixture.ledger.takeSeat(await fixture.ledger.join('another', 0), LONG_MS)).not.toBeNull()
      await keeper.mergeIfDue()
      expect(fixture.converted).toEqual([10])
      expect(fixture.entries('pages', '.parquet')).toEqual([])
      expect((await fixture.ledger.files()).filter(({ kind }) => kind === 'pages-log')).toHaveLength(11)
      await fixture.close()
    }),
  )
})
