import { describe, expect, it } from 'vitest'
import { ManualClock } from '../../../../test/kit/manual-clock.js'
import { type SiteInHand, SpareSites } from './spare-sites.js'

const PAUSE_MS = 5_000
const turn = (sites = 1) => ({ sites, borrowers: 0, dissolved: false })

interface Facts {
  readonly queued?: number
  readonly known?: number
  readonly isRequesting?: boolean
  readonly idle?: boolean
  readonly groups?: readonly { sites: number; borrowers: number; dissolved: boolean }[]
  readonly mode?: SiteInHand['mode']
}

const site = ({
  queued = 50,
  known = 100,
  isRequesting = false,
  idle = queued === 0,
  groups = [turn()],
  mode,
}: Facts = {}): SiteInHand => ({
  mode: mode ?? { is: 'crawling' },
  isRequesting,
  lane: { isIdle: idle },
  frontier: { size: queued, known, isEmpty: queued === 0 },
  pace: { groups },
})

function spareOf(sites: Record<string, SiteInHand>, givesAway = true, concluded = () => 0) {
  const clock = new ManualClock()
  const named = new Map(Object.entries(sites))
  const spare = new SpareSites(clock, () => named, concluded, givesAway)
  const pick = (groups: number) => {
    const picked = spare.pick(groups)
    return [...named].filter(([, each]) => picked.has(each)).map(([name]) => name)
  }
  return { clock, spare, pick }
}

describe('sites that can go to an agent that has run dry', () => {
  it('are those with enough left to do for what they cost to rebuild', () => {
    const { spare, pick } = spareOf({
      few: site({ queued: 3, known: 9 }),
      nearlyDone: site({ queued: 40, known: 10_000 }),
      leaving: site({ mode: { is: 'leaving', to: 'slice', until: 0, why: '' } }),
      done: site({ queued: 0 }),
      unread: site({ queued: 0, known: 0, idle: false }),
      paused: site({ queued: 3, known: 9, idle: true }),
      small: site({ queued: 4, known: 9 }),
      good: site(),
    })
    expect(spare.load()).toMatchObject({ busySites: 7, spareGroups: 2 })
    expect(pick(9)).toEqual(['small', 'good'])
  })

  it('count for what is left of them', () => {
    const { spare } = spareOf({
      half: site({ queued: 50, known: 100 }),
      quarter: site({ queued: 25, known: 100 }),
      done: site({ queued: 0 }),
      unread: site({ queued: 0, known: 0, idle: false }),
    })
    expect(spare.load().workLeft).toBe(2)
    expect(spare.load(3).workLeft).toBe(5)
  })

  it('are first those that nobody asks at the moment, then those with the fewest URLs to rebuild', () => {
    const sites = {
      asked: site({ isRequesting: true, known: 60 }),
      askedForRobots: site({ isRequesting: true, known: 70 }),
      large: site({ known: 900 }),
      small: site({ known: 80 }),
    }
    expect(spareOf(sites).pick(1)).toEqual(['small'])
    expect(spareOf(sites).pick(2)).toEqual(['large', 'small'])
    expect(spareOf(sites).pick(3)).toEqual(['asked', 'large', 'small'])
    expect(spareOf(sites).pick(4)).toEqual(['asked', 'askedForRobots', 'large', 'small'])
  })

  it('go with all others of their group, or not at all', () => {
    const whole = turn(2)
    const torn = turn(3)
    const address = turn(2)
    const { spare, pick } = spareOf({
      one: site({ groups: [whole] }),
      two: site({ groups: [whole], queued: 0 }),
      // The third of them is being opened.
      three: site({ groups: [torn] }),
      four: site({ groups: [torn] }),
      // Of different domains, with one address.
      five: site({ groups: [turn(), address] }),
      six: site({ groups: [turn(), address] }),
      visited: site({ groups: [{ ...turn(), borrowers: 1 }] }),
      // Its second turn, that of an address it no longer has, means nothing any more.
      moved: site({ groups: [turn(), { ...turn(3), dissolved: true }] }),
    })
    expect(spare.load()).toMatchObject({ busySites: 7, spareGroups: 2 })
    expect(pick(9)).toEqual(['one', 'two', 'moved'])
  })

  it('are picked once for a request that the bus repeats', () => {
    const { clock, pick } = spareOf({ a: site(), b: site({ known: 200 }) })
    expect(pick(1)).toEqual(['a'])
    clock.advance(PAUSE_MS / 10)
    expect(pick(1)).toEqual([])
    clock.advance(PAUSE_MS)
    expect(pick(1)).toEqual(['a'])
  })

  it('are none when the agent is done with them soon itself, at its pace so far', () => {
    let concluded = 0
    const { clock, spare } = spareOf(
      { a: site({ queued: 50 }), b: site({ queued: 50 }) },
      true,
      () => concluded,
    )
    expect(spare.load().spareGroups).toBe(2)
    concluded = 10
    expect(spare.load().spareGroups).toBe(2)
    clock.advance(1_000)
    concluded = 15
    expect(spare.load().spareGroups).toBe(2)
    clock.advance(1_000)
    concluded = 40
    expect(spare.load()).toMatchObject({ busySites: 2, spareGroups: 0 })
  })

  it('are none where lanes keep their sites to the end', () => {
    const { spare, pick } = spareOf({ a: site(), b: site() }, false)
    expect(spare.load()).toMatchObject({ busySites: 2, spareGroups: 0 })
    expect(pick(9)).toEqual([])
  })
})
