import { beforeEach, describe, expect, it } from 'vitest'
import type { Ledger } from '../cluster/index.js'
import { openMemoryLedger } from '../cluster/memory-ledger.js'
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
    const [{ site, cells }] = await splitHeavy(ledger, [{ site: SITE, pieces: 5 }])
    expect(site).toBe(SITE)
    expect(cells.map(({ urls }) => urls)).toEqual([100, 100, 100, 100, 100])
    const waiting = await ledger.waiting(100)
    expect(new Map(waiting.map(({ cell, size, backlog }) => [cell, [size, backlog]]))).toEqual(
      new Map(cells.map(({ cell }) => [cell, [100, 100]])),
    )
  })

  it('is split the same way by the run after one that died on the way, and only until the table is made', async () => {
    const splits = await splitHeavy(ledger, [{ site: SITE, pieces: 5 }])
    expect(await begunSplits(ledger)).toEqual(splits)
    expect(await ledger.waiting(100)).toHaveLength(5)
    await endSplits(ledger)
    expect(await begunSplits(ledger)).toBeNull()
  })

  it('stays whole where this crawl does not know it, or no cut can be made', async () => {
    expect(await splitHeavy(ledger, [{ site: 'elsewhere.test', pieces: 5 }])).toEqual([])
    expect(await ledger.waiting(100)).toHaveLength(1)
  })
})
