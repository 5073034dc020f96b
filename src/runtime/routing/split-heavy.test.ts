import { beforeEach, describe, expect, it } from 'vitest'
import type { Ledger } from '../../ledger/index.js'
import { openMemoryLedger } from '../../ledger/memory/index.js'
import { begunSplits, endSplits, splitHeavy } from './split-heavy.js'

const SITE = 'giant.test'

describe('a site that is too heavy, before the first lease', () => {
  let ledger: Ledger

  beforeEach(async () => {
    ledger = openMemoryLedger(() => 0)
    const rows = Array.from({ length: 500 }, (_, i) => ({
      url: `http://${SITE}/${1_000 + i}`,
      depth: 1,
      hops: 0,
      score: 0,
      via: '',
    }))
    await ledger.append([{ cell: SITE, group: SITE, rows }])
  })

  it('is split between the URLs it had, all of which wait in its pieces', async () => {
    const [{ site, cells }] = await splitHeavy(ledger, [{ site: SITE, pages: 500, pieces: 5 }])
    expect(site).toBe(SITE)
    expect(cells.map(({ pages }) => pages)).toEqual([100, 100, 100, 100, 100])
    const waiting = await ledger.waiting(100)
    expect(new Map(waiting.map(({ cell, size, backlog }) => [cell, [size, backlog]]))).toEqual(
      new Map(cells.map(({ cell }) => [cell, [100, 100]])),
    )
  })

  it('is split by its pages where they are known, not by what was none', async () => {
    const meta = { etag: '', lastModified: '', digest: 'sha1:A', storedAt: '', links: [] }
    const urls = Array.from({ length: 50 }, (_, i) => `http://${SITE}/${1_000 + i}`)
    await ledger.saveMeta(urls.map(url => ({ cell: SITE, url, meta })))
    const [{ cells }] = await splitHeavy(ledger, [{ site: SITE, pages: 500, pieces: 5 }])
    expect(cells.map(({ pages }) => pages)).toEqual([100, 100, 100, 100, 100])
    expect(cells.at(-1)!.cell).toBe(`${SITE}#/104#`)
  })

  it('is split the same way by the run after one that died on the way, and only until the table is made', async () => {
    const splits = await splitHeavy(ledger, [{ site: SITE, pages: 500, pieces: 5 }])
    expect(await begunSplits(ledger)).toEqual(splits)
    expect(await ledger.waiting(100)).toHaveLength(5)
    await endSplits(ledger)
    expect(await begunSplits(ledger)).toBeNull()
  })

  it('stays whole where this crawl does not know it, or no cut can be made', async () => {
    expect(await splitHeavy(ledger, [{ site: 'elsewhere.test', pages: 500, pieces: 5 }])).toEqual([])
    expect(await ledger.waiting(100)).toHaveLength(1)
  })
})
