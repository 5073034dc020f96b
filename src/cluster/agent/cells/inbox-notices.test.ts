/** Notices of new rows: to the sites that are held, and on the bus for all others. */
import { beforeEach, expect, it } from 'vitest'
import { madeSite } from '../../../../test/kit/made-site.js'
import { ManualClock } from '../../../../test/kit/manual-clock.js'
import type { BusMessage } from '../../../bus/index.js'
import type { Heartbeat } from '../../../ledger/index.js'
import { type CellId, WakeUp } from '../../../model/index.js'
import type { SiteCrawl } from '../site/index.js'
import { InboxNotices, type InboxNoticesParts } from './inbox-notices.js'

const clock = new ManualClock()
let site: SiteCrawl
let sent: BusMessage[]
let noted: CellId[]
let slices: { waitingCells: number }

beforeEach(() => {
  site = madeSite({ clock })
  site.inbox.readBegan()
  sent = []
  noted = []
  slices = { waitingCells: 0 }
})

function newNotices(hasRoutes: boolean): InboxNotices {
  const routes = {
    notifyOwners: (cells: readonly CellId[]) => cells.filter(cell => cell === 'unknown.test'),
    noteCells: (cells: readonly CellId[]) => void noted.push(...cells),
  }
  const parts = {
    bus: { send: (message: BusMessage) => void sent.push(message) },
    heldCells: { sites: new Map([[site.cell, site]]) },
    routes: hasRoutes ? routes : null,
    shards: null,
    slices,
    wake: new WakeUp(clock),
  }
  return new InboxNotices(parts as unknown as InboxNoticesParts)
}

it('rows for a held cell make its site read them, and nobody else is notified', () => {
  newNotices(false).committed(new Set(['a.test']))
  expect(site.inbox.isDirty).toBe(true)
  expect([sent, slices.waitingCells]).toEqual([[], 0])
})

it('rows for other cells are announced to all, or where owners are known only for cells without one', () => {
  newNotices(false).committed(new Set(['a.test', 'b.test']))
  newNotices(true).committed(new Set(['b.test', 'unknown.test']))
  expect(sent).toEqual([
    { kind: 'inbox', cells: ['b.test'] },
    { kind: 'inbox', cells: ['unknown.test'] },
  ])
  expect(slices.waitingCells).toBe(2)
})

it('rows that other agents announce are noted where the agent claims cells itself', () => {
  newNotices(false).received(['b.test'])
  expect(noted).toEqual([])
  newNotices(true).received(['a.test', 'b.test'])
  expect(noted).toEqual(['b.test'])
  expect(site.inbox.isDirty).toBe(true)
})

it('a lost notice is found by the count of the ledger, under the same lease only', () => {
  const beat = (epoch: number) => ({ held: [{ cell: 'a.test', epoch, appended: 7 }] }) as unknown as Heartbeat
  newNotices(false).compare(beat(2))
  expect(site.inbox.isDirty).toBe(false)
  newNotices(false).compare(beat(1))
  expect(site.inbox.isDirty).toBe(true)
})
