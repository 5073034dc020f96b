import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Ledger } from '../../../ledger/index.js'
import { openSqliteLedger } from '../../../ledger/sqlite/index.js'
import { FrontierSpace } from '../../../page/frontier/index.js'
import { Counters } from '../site/index.js'
import { MessageCount, ReceivedLinks } from './message-count.js'

describe('messages between agents', () => {
  const folder = mkdtempSync(join(tmpdir(), 'orb-heard-'))
  let ledger: Ledger
  let space: FrontierSpace
  let tests = 0
  beforeEach(() => {
    const name = join(folder, `${++tests}`)
    ledger = openSqliteLedger(`${name}.db`, { create: true, now: () => 1 })
    space = new FrontierSpace({ folder: name, seenBytes: 1e6, queueBytes: 1e6, salt: 1 })
  })
  afterEach(async () => {
    space.close()
    await ledger.close()
  })

  const rows = (...pages: string[]): ReceivedLinks => {
    const read = new ReceivedLinks()
    for (const page of pages) read.add(`http://${page}`)
    return read
  }

  it('are distinct source pages, and coalesced distinct source sites, whatever the batching', async () => {
    const received = new MessageCount('b', ledger, space.seen)
    const counters = new Counters()
    const first = await received.newIn([
      rows('a.test/1', 'a.test/1', 'a.test/2'),
      rows('a.test/1', 'c.test/'),
    ])
    received.committed(first, counters)
    expect(counters).toMatchObject({ exchanged: 5, messages: 3, coalescedMessages: 2 })
    received.committed(await received.newIn([rows('a.test/2', 'a.test/3')]), counters)
    expect(counters).toMatchObject({ exchanged: 7, messages: 4, coalescedMessages: 2 })
  })

  it('of a pack that was not committed are news once more', async () => {
    const received = new MessageCount('b', ledger, space.seen)
    expect((await received.newIn([rows('a.test/1')])).pages).toHaveLength(8)
    expect((await received.newIn([rows('a.test/1')])).pages).toHaveLength(8)
  })

  it('that an earlier incarnation of the agent heard are not counted again', async () => {
    const news = await new MessageCount('b', ledger, space.seen).newIn([rows('a.test/1', 'a.test/2')])
    const me = await ledger.join('b')
    await ledger.commit({
      id: 'p',
      incarnation: me,
      cells: [],
      appends: [],
      files: [],
      fetches: 0,
      lanes: [],
      received: news,
      waits: [],
    })
    const next = new MessageCount('b', ledger, space.seen)
    expect(await next.newIn([rows('a.test/2', 'a.test/3')])).toMatchObject({ links: 2 })
    expect((await next.newIn([rows('a.test/2', 'a.test/3')])).pages).toHaveLength(8)
    expect((await next.newIn([rows('a.test/2')])).sites).toHaveLength(0)
    const other = new MessageCount('c', ledger, space.seen)
    expect((await other.newIn([rows('a.test/2')])).pages).toHaveLength(8)
  })
})
