import { describe, expect, it } from 'vitest'
import { ManualClock } from '../../../test/kit/manual-clock.js'
import { LIMITS } from '../../model/index.js'
import { GroupPace } from './group-pace.js'
import { type Pause, SitePace } from './site-pace.js'
import { SiteWait } from './site-wait.js'

const SECOND: Pause = { ownMs: 1_000, groupMs: 1_000 }
const NONE: Pause = { ownMs: 0, groupMs: 0 }

/** Sites of one group on a clock that stands still, and who got the turn in which order. */
class Scene {
  readonly clock: ManualClock
  readonly order: string[] = []
  readonly saved: string[] = []
  connections = 1
  /** Settles the writes into the ledger; at once unless a test holds them back. */
  saving: Promise<void> = Promise.resolve()

  constructor(grainMs = 0) {
    this.clock = new ManualClock(grainMs)
  }

  group(id = 'example.org'): GroupPace {
    return new GroupPace(id, this.clock, () => this.connections)
  }

  site(groups: readonly GroupPace[], knownMs = 1_000, own?: SiteWait): SitePace {
    for (const group of groups) group.sites++
    return new SitePace({
      own,
      clock: this.clock,
      groups,
      notBefore: 0,
      waitUntil: 0,
      knownMs,
      save: (waitUntil, { ownMs, groupMs }) => {
        this.saved.push(`${Math.max(0, waitUntil - this.clock.now())} ${ownMs} ${groupMs}`)
        return this.saving
      },
    })
  }

  ask(name: string, site: SitePace, pause = SECOND): void {
    void site.turn(pause).then(hasTurn => this.order.push(hasTurn ? name : `not ${name}`))
  }

  async pass(ms: number): Promise<readonly string[]> {
    this.clock.advance(ms)
    for (let i = 0; i < 5; i++) await Promise.resolve()
    return this.order
  }
}

describe('the turn of a group', () => {
  it('keeps the cells of one site apart without a pause too, and not the sites of a domain', async () => {
    const scene = new Scene()
    const [alone, split] = [scene.group(), scene.group()]
    const own = new SiteWait({ notBefore: 0, waitUntil: 0, knownMs: 0 })
    const [a, b] = [scene.site([alone], 0), scene.site([alone], 0)]
    const [c, d] = [scene.site([split], 0, own), scene.site([split], 0, own)]
    expect([a, b, c, d].map(site => site.turnNow(NONE))).toEqual([true, true, true, false])
    scene.ask('d', d, NONE)
    expect(await scene.pass(0)).toEqual([])
    c.done(NONE, NONE)
    expect(await scene.pass(0)).toEqual(['d'])
  })

  it('comes no part of a millisecond too early where the clock counts whole ones', async () => {
    const scene = new Scene(2)
    const group = scene.group()
    const [a, b] = [scene.site([group]), scene.site([group])]
    expect(a.turnNow(SECOND)).toBe(true)
    a.done(SECOND, SECOND)
    scene.ask('a', a)
    scene.ask('b', b)
    expect(await scene.pass(1_001)).toEqual([])
    expect(await scene.pass(1)).toHaveLength(1)
  })

  it('is one request at a time, and the pause runs from its end', async () => {
    const scene = new Scene()
    const group = scene.group()
    const [a, b] = [scene.site([group]), scene.site([group])]
    expect(a.turnNow(SECOND)).toBe(true)
    expect(b.turnNow(SECOND)).toBe(false)
    scene.ask('b', b)
    expect(await scene.pass(5_000)).toEqual([])
    a.done(SECOND, SECOND)
    expect(await scene.pass(999)).toEqual([])
    expect(await scene.pass(1)).toEqual(['b'])
  })

  it('is not shared by sites of other groups', () => {
    const scene = new Scene()
    const [a, b] = [scene.site([scene.group('a.test')]), scene.site([scene.group('b.test')])]
    expect(a.turnNow(SECOND)).toBe(true)
    expect(b.turnNow(SECOND)).toBe(true)
  })

  it('goes round in the order of coming, with one timer however many wait', async () => {
    const scene = new Scene()
    const group = scene.group()
    const sites = Array.from({ length: 10_000 }, () => scene.site([group]))
    expect(sites[0].turnNow(SECOND)).toBe(true)
    for (const [i, site] of sites.entries()) if (i > 0) scene.ask(String(i), site)
    expect(scene.clock.pending).toBe(1)
    expect(sites[5].expectedAt(scene.clock.now()) - scene.clock.now()).toBe(10_000_000)
    sites[0].done(SECOND, SECOND)
    for (let i = 1; i <= 3; i++) {
      await scene.pass(1_000)
      sites[i].done(SECOND, SECOND)
    }
    expect(scene.order).toEqual(['1', '2', '3'])
    expect(scene.clock.pending).toBe(1)
  })

  it('is not kept from the others by a request that hangs', async () => {
    const scene = new Scene()
    const group = scene.group()
    const [a, b] = [scene.site([group]), scene.site([group])]
    a.turnNow(SECOND)
    scene.ask('b', b)
    expect(await scene.pass(LIMITS.turnHoldMs - 1)).toEqual([])
    expect(await scene.pass(1)).toEqual(['b'])
  })

  it('lets as many requests run as a site may have connections', () => {
    const scene = new Scene()
    scene.connections = 2
    const group = scene.group()
    const [a, b, c] = [scene.site([group]), scene.site([group]), scene.site([group])]
    expect(a.turnNow(SECOND)).toBe(true)
    scene.clock.advance(1_000)
    expect(b.turnNow(SECOND)).toBe(true)
    scene.clock.advance(1_000)
    expect(c.turnNow(SECOND)).toBe(false)
  })

  it('means nothing without a delay', () => {
    const scene = new Scene()
    const group = scene.group()
    const [a, b] = [scene.site([group]), scene.site([group])]
    expect(a.turnNow(NONE)).toBe(true)
    expect(b.turnNow(NONE)).toBe(true)
  })

  it('is waited for without holding another: a site in two groups blocks nobody', async () => {
    const scene = new Scene()
    const [domain, address] = [scene.group('example.org'), scene.group('192.0.2.1')]
    const other = scene.site([address])
    const both = scene.site([domain, address])
    const mate = scene.site([domain])
    other.turnNow(SECOND)
    scene.ask('both', both)
    expect(mate.turnNow(SECOND)).toBe(true)
    mate.done(SECOND, SECOND)
    other.done(SECOND, SECOND)
    expect(await scene.pass(999)).toEqual([])
    expect(await scene.pass(1)).toEqual(['both'])
    expect(mate.turnNow(SECOND)).toBe(false)
  })

  it('is no more once the group is dissolved', async () => {
    const scene = new Scene()
    const group = scene.group('192.0.2.1')
    const [a, b] = [scene.site([group]), scene.site([group])]
    a.turnNow(SECOND)
    scene.ask('b', b)
    group.dissolved = true
    group.serveAgain()
    expect(await scene.pass(0)).toEqual(['b'])
  })
})

describe('the pace of a site', () => {
  it('a Crawl-delay is its own: its group goes on at the usual pace', () => {
    const scene = new Scene()
    const group = scene.group()
    const [slow, mate] = [scene.site([group], 20_000), scene.site([group])]
    const pause = { ownMs: 20_000, groupMs: 1_000 }
    slow.turnNow(pause)
    slow.done(pause, pause)
    scene.clock.advance(1_000)
    expect(mate.turnNow(SECOND)).toBe(true)
    mate.done(SECOND, SECOND)
    scene.clock.advance(18_999)
    expect(slow.turnNow(pause)).toBe(false)
    scene.clock.advance(1)
    expect(slow.turnNow(pause)).toBe(true)
  })

  it('a wait it asked for holds nobody else up, and outlasts every pause', () => {
    const scene = new Scene()
    const group = scene.group()
    const [busy, mate] = [scene.site([group]), scene.site([group])]
    busy.turnNow(SECOND)
    busy.done(SECOND, SECOND)
    busy.wait(scene.clock.now() + 3_600_000, 'it asked for it')
    busy.wait(scene.clock.now() + 10, 'shorter')
    scene.clock.advance(1_000)
    expect(mate.turnNow(SECOND)).toBe(true)
    expect(busy.turnNow(SECOND)).toBe(false)
    expect(busy.reason('auto', scene.clock.now())).toBe('it asked for it')
  })

  it('sends nothing before the wait it learned is in the ledger', async () => {
    const scene = new Scene()
    let written = () => {}
    scene.saving = new Promise(resolve => {
      written = resolve
    })
    const site = scene.site([scene.group()])
    site.wait(scene.clock.now() + 100, 'it asked for it')
    expect(scene.saved).toEqual(['100 1000 0'])
    scene.ask('a', site)
    expect(await scene.pass(60_000)).toEqual([])
    written()
    expect(await scene.pass(0)).toEqual(['a'])
  })

  it('a turn that came before the wait is not used after it', async () => {
    const scene = new Scene()
    const site = scene.site([scene.group()])
    expect(site.turnNow(SECOND)).toBe(true)
    expect(site.isStillDue()).toBe(true)
    site.wait(scene.clock.now() + 5_000, 'it asked for it')
    expect(site.isStillDue()).toBe(false)
  })

  it('a turn that was not used for long is taken anew: others of the group need not have waited', async () => {
    const scene = new Scene()
    const group = scene.group()
    const [slow, mate] = [scene.site([group]), scene.site([group])]
    expect(slow.turnNow(SECOND)).toBe(true)
    scene.clock.advance(LIMITS.turnHoldMs / 2)
    expect(slow.isStillDue()).toBe(true)
    scene.clock.advance(LIMITS.turnHoldMs / 2)
    expect(mate.turnNow(SECOND)).toBe(true)
    expect(slow.isStillDue()).toBe(false)
    slow.done(SECOND, SECOND)
    mate.done(SECOND, SECOND)
    scene.clock.advance(1_000)
    expect(slow.turnNow(SECOND)).toBe(true)
    expect(slow.isStillDue()).toBe(true)
  })

  it('tells the ledger of a pause that is longer than it knows, once for each doubling', async () => {
    const scene = new Scene()
    const site = scene.site([scene.group()], 1_000)
    for (const ms of [1_000, 3_000, 3_500, 2_000, 4_096, 5_000]) {
      expect(site.turnNow(SECOND), String(ms)).toBe(true)
      site.done(SECOND, { ownMs: ms, groupMs: ms })
      await scene.pass(ms)
    }
    expect(scene.saved).toEqual(['0 4096 3000', '0 8192 5000'])
  })

  it('is given up when the site is left: who waits is told, who comes later too', async () => {
    const scene = new Scene()
    const group = scene.group()
    const [a, b] = [scene.site([group]), scene.site([group])]
    a.turnNow(SECOND)
    scene.ask('b', b)
    b.giveUp()
    scene.ask('b again', b)
    expect(await scene.pass(0)).toEqual(['not b', 'not b again'])
    a.done(SECOND, SECOND)
    expect(await scene.pass(60_000)).toHaveLength(2)
    expect(scene.clock.pending).toBe(0)
  })

  it('a delay that is lowered shortens the waits that are left of it, but not those a site asked for', async () => {
    const scene = new Scene()
    const group = scene.group()
    const [a, asked] = [scene.site([group], 0), scene.site([group], 0)]
    const hour = { ownMs: 3_600_000, groupMs: 3_600_000 }
    a.turnNow(hour)
    a.done(hour, hour)
    asked.wait(scene.clock.now() + 30_000, 'it asked for it')
    scene.ask('a', a)
    scene.ask('asked', asked)
    expect(await scene.pass(20_000)).toEqual([])
    group.ease(100)
    for (const site of [a, asked]) site.ease(100)
    expect(await scene.pass(100)).toEqual(['a'])
    a.done(hour, SECOND)
    expect(await scene.pass(9_899)).toEqual(['a'])
    expect(await scene.pass(1)).toEqual(['a', 'asked'])
  })
})
