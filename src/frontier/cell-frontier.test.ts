import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Discovery } from '../model/cell.js'
import { CellFrontier, type FrontierEntry } from './cell-frontier.js'
import { FrontierSpace } from './frontier-space.js'
import { JournalWriter } from './journal-codec.js'
import { rebuildCell } from './rebuild-cell.js'

let folder = ''
let space: FrontierSpace
const openSpace = (seenBytes = 1e7, queueBytes = 1e7) =>
  new FrontierSpace({ folder: join(folder, 'frontier'), seenBytes, queueBytes, salt: 4 })
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-frontier-'))
  space = openSpace()
})
afterEach(() => {
  space.close()
  rmSync(folder, { recursive: true, force: true })
})

const OFF = Number.POSITIVE_INFINITY
const NOBODY = { replay: () => {}, countPage: () => {} }
const found = (name: string | number, depth = 1, score = 0): Discovery => ({
  url: `https://example.org/${name}`,
  depth,
  hops: 0,
  score,
  via: `https://example.org/from/${depth}`,
})
const shown = (entry: FrontierEntry | null) =>
  entry && `${entry.url.slice(20)}@${entry.depth} try ${entry.attempt}${entry.again ? ' again' : ''}`

function drain(frontier: CellFrontier): (string | null)[] {
  const out: (string | null)[] = []
  for (let entry = frontier.next(1e15); entry !== null; entry = frontier.next(1e15)) out.push(shown(entry))
  return out
}

describe('a URL that is set aside', () => {
  it.each([OFF, 5])('comes back as it was, not before its time (depth up to %d)', maxDepth => {
    const frontier = new CellFrontier(space, { maxDepth })
    frontier.offer(found('a'))
    const entry = frontier.next(0)!
    frontier.setAside(entry, 100)
    expect([frontier.size, frontier.next(99), frontier.nextReadyAt()]).toEqual([1, null, 100])
    expect(shown(frontier.next(100))).toBe('a@1 try 1')
    expect(frontier.isEmpty).toBe(true)
  })
})

describe('a frontier without --max-depth', () => {
  it('takes a URL once, whatever its depth, and gives it out in order', () => {
    const frontier = new CellFrontier(space, { maxDepth: OFF })
    expect(frontier.knows(found('a').url, 1)).toBe(false)
    expect([found('a', 5), found('b'), found('a', 1)].map(each => frontier.offer(each))).toEqual([
      true,
      true,
      false,
    ])
    expect(frontier.knows(found('a').url, 0)).toBe(true)
    expect(frontier.size).toBe(2)
    expect(drain(frontier)).toEqual(['a@5 try 1', 'b@1 try 1'])
    expect(frontier.isEmpty).toBe(true)
    expect(frontier.offer(found('b'))).toBe(false)
    frontier.close()
  })

  it('brings a retry back at its time with the next attempt', () => {
    const frontier = new CellFrontier(space, { maxDepth: OFF })
    frontier.offer(found('a'))
    frontier.retry(frontier.next(0)!, 700)
    expect([frontier.size, frontier.isEmpty, frontier.nextReadyAt()]).toEqual([1, false, 700])
    expect([frontier.hasReady(699), frontier.hasReady(700)]).toEqual([false, true])
    expect(frontier.next(699)).toBeNull()
    expect(frontier.next(700)).toEqual({ ...found('a'), attempt: 2 })
    frontier.close()
  })
})

describe('a frontier with --max-depth 3', () => {
  it('opens a URL again that comes back nearer, and only then', () => {
    const frontier = new CellFrontier(space, { maxDepth: 3 })
    const offers = [3, 3, 4, 2, 9, 2, 0, 1].map(depth => frontier.offer(found('a', depth)))
    expect(offers).toEqual([true, false, false, true, false, false, true, false])
    expect([0, 1].map(depth => frontier.knows(found('a').url, depth))).toEqual([true, true])
    expect(drain(frontier)).toEqual(['a@0 try 1'])
    expect([frontier.takePassedOver(), frontier.takePassedOver()]).toEqual([2, 0])
    frontier.close()
  })

  it('counts all depths past the limit as one', () => {
    const frontier = new CellFrontier(space, { maxDepth: 3 })
    expect([9, 7, 4].map(depth => frontier.offer(found('a', depth)))).toEqual([true, false, false])
    expect(drain(frontier)).toEqual(['a@9 try 1'])
    expect(frontier.offer(found('a', 3))).toBe(true)
    // It was never asked for, so this is its first visit.
    expect(drain(frontier)).toEqual(['a@3 try 1'])
    frontier.close()
  })

  it('asks for the links of a fetched page again when its depth falls, and does not store it twice', () => {
    const frontier = new CellFrontier(space, { maxDepth: 3 })
    frontier.offer(found('a', 3))
    expect(shown(frontier.next(0))).toBe('a@3 try 1')
    frontier.offer(found('a', 1))
    const again = frontier.next(0)!
    expect(shown(again)).toBe('a@1 try 1 again')
    frontier.retry(again, 5)
    expect(shown(frontier.next(5))).toBe('a@1 try 2 again')
    frontier.close()
  })

  it('lets a visit that failed go on to store the page, beside a nearer row', () => {
    const frontier = new CellFrontier(space, { maxDepth: 3 })
    frontier.offer(found('a', 3))
    frontier.retry(frontier.next(0)!, 50)
    frontier.offer(found('a', 1))
    expect(shown(frontier.next(0))).toBe('a@1 try 1 again')
    expect(shown(frontier.next(50))).toBe('a@3 try 2')
    frontier.close()
  })
})

/** What an agent does to a frontier and its journal, one step at a time. */
type Step =
  | { do: 'offer'; name: number; depth: number; score: number }
  | { do: 'visit'; end: 'settle' | 'retry' | 'stay'; wait: number }
  | { do: 'settle-late' }
  | { do: 'seal' }
const steps = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant('offer' as const),
        name: fc.nat(25),
        depth: fc.nat(6),
        score: fc.constantFrom(0, 0, 0.4, 0.9),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('visit' as const),
        end: fc.constantFrom('settle' as const, 'retry' as const, 'stay' as const),
        wait: fc.nat(5_000),
      }),
    },
    fc.record({ do: fc.constant('settle-late' as const) }),
    fc.record({ do: fc.constant('seal' as const) }),
  ),
  { maxLength: 150 },
)

class LiveCell {
  readonly frontier: CellFrontier
  readonly blobs: Uint8Array[] = []
  readonly inFlight: FrontierEntry[] = []
  /** Smallest depth at which a URL was settled. */
  readonly #settled = new Map<string, number>()
  readonly #maxDepth: number
  #journal = new JournalWriter('example.org')
  #now = 0

  constructor(maxDepth: number) {
    this.#maxDepth = maxDepth
    this.frontier = new CellFrontier(space, { maxDepth })
  }

  run(list: readonly Step[]): void {
    for (const step of list) {
      this.#now += 100
      if (step.do === 'offer') this.#offer(found(step.name, step.depth, step.score))
      else if (step.do === 'visit') this.#visit(step.end, step.wait)
      else if (step.do === 'seal') this.seal()
      else if (this.inFlight.length > 0) this.#settle(this.inFlight.shift()!)
    }
    this.seal()
  }

  seal(): void {
    this.blobs.push(this.#journal.finish())
    this.#journal = new JournalWriter('example.org')
  }

  #offer(discovery: Discovery): void {
    if (this.frontier.offer(discovery)) this.#journal.discover(discovery)
  }

  #visit(end: 'settle' | 'retry' | 'stay', wait: number): void {
    const entry = this.frontier.next(this.#now)
    if (entry === null) return
    if (entry.depth > this.#maxDepth) this.#journal.outcome(entry.url, 'TOO_DEEP', entry.depth)
    else if (end === 'settle') this.#settle(entry)
    else if (end === 'stay') this.inFlight.push(entry)
    else {
      const until = this.#now + wait
      this.#journal.retry(entry.url, entry.attempt + 1, until)
      this.frontier.retry(entry, until)
    }
  }

  /** Settled as near to a seed, or nearer: another visit would bring nothing. */
  isDone(url: string, depth: number): boolean {
    return (this.#settled.get(url) ?? Number.POSITIVE_INFINITY) <= depth
  }

  #settle(entry: FrontierEntry): void {
    this.#settled.set(
      entry.url,
      Math.min(entry.depth, this.#settled.get(entry.url) ?? Number.POSITIVE_INFINITY),
    )
    const depth = Number.isFinite(this.#maxDepth) ? entry.depth : undefined
    this.#journal.outcome(entry.url, 'OK', depth)
  }
}

async function rebuilt(live: LiveCell, maxDepth: number): Promise<CellFrontier> {
  const frontier = new CellFrontier(space, { maxDepth })
  await rebuildCell(() => live.blobs, frontier, space, NOBODY)
  return frontier
}

/** Every retry with its time, and the order of the rest, by asking at every moment. */
function timeline(frontier: CellFrontier): string[] {
  const out: string[] = []
  for (let now = 0; ; ) {
    const entry = frontier.next(now)
    if (entry !== null) out.push(`${now}: ${shown(entry)} score ${entry.score} via ${entry.via}`)
    else if (frontier.nextReadyAt() === null) return out
    else now = frontier.nextReadyAt()!
  }
}

describe('rebuilding a cell from its journal', () => {
  it('gives the queue the crash interrupted, retries and order included', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async list => {
        const live = new LiveCell(OFF)
        // Nothing in flight here: those URLs have no outcome, so they are queued again (next test).
        live.run(
          list.map(step => (step.do === 'visit' && step.end === 'stay' ? { ...step, end: 'settle' } : step)),
        )
        const copy = await rebuilt(live, OFF)
        for (let name = 0; name <= 25; name++) {
          expect(copy.knows(found(name).url, 0)).toBe(live.frontier.knows(found(name).url, 0))
        }
        expect(copy.size).toBe(live.frontier.size)
        expect(timeline(copy)).toEqual(timeline(live.frontier))
        copy.close()
        live.frontier.close()
      }),
      { numRuns: 300 },
    )
  })

  it('queues again what was in flight', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async list => {
        const live = new LiveCell(OFF)
        live.run(list)
        const copy = await rebuilt(live, OFF)
        const urls = (frontier: CellFrontier) => drain(frontier).map(entry => entry?.split(' ')[0])
        const expected = [...urls(live.frontier), ...live.inFlight.map(entry => shown(entry)?.split(' ')[0])]
        expect(urls(copy).sort()).toEqual(expected.sort())
        copy.close()
        live.frontier.close()
      }),
      { numRuns: 200 },
    )
  })

  it('with --max-depth asks for every URL at the depth that the undisturbed crawl would have reached', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async list => {
        const live = new LiveCell(3)
        live.run(list)
        const copy = await rebuilt(live, 3)
        // A visit that failed and a nearer row of its URL become one visit at the smaller depth.
        const nearest = (entries: (string | null)[]): Map<string, number> => {
          const map = new Map<string, number>()
          for (const entry of entries) {
            const [name, depth] = entry!.split(' ')[0].split('@')
            if (live.isDone(found(Number(name)).url, Number(depth))) continue
            map.set(name, Math.min(map.get(name) ?? 99, Number(depth)))
          }
          return new Map([...map].sort())
        }
        const expected = [...drain(live.frontier), ...live.inFlight.map(shown)]
        expect(nearest(drain(copy))).toEqual(nearest(expected))
        for (let name = 0; name <= 25; name++) {
          for (let depth = 0; depth < 7; depth++) {
            const { url } = found(name)
            expect(copy.knows(url, depth)).toBe(live.frontier.knows(url, depth))
          }
        }
        copy.close()
        live.frontier.close()
      }),
      { numRuns: 300 },
    )
  })

  it('with --max-depth never stores a page twice: what has an outcome only sends its links again', async () => {
    const live = new LiveCell(3)
    live.run([
      { do: 'offer', name: 1, depth: 3, score: 0 },
      { do: 'visit', end: 'settle', wait: 0 },
      { do: 'offer', name: 1, depth: 1, score: 0 },
      { do: 'offer', name: 2, depth: 6, score: 0 },
      { do: 'visit', end: 'stay', wait: 0 },
      { do: 'visit', end: 'settle', wait: 0 },
      { do: 'offer', name: 2, depth: 2, score: 0 },
    ])
    const copy = await rebuilt(live, 3)
    expect(drain(copy)).toEqual(['1@1 try 1 again', '2@2 try 1'])
    copy.close()
  })

  it('an outcome that does not name its depth closes the rows before it, and no later one', async () => {
    const journal = new JournalWriter('example.org')
    journal.discover(found('a', 3))
    journal.outcome(found('a').url, 'OK')
    journal.discover(found('a', 1))
    journal.discover(found('b', 3))
    journal.discover(found('b', 1))
    journal.outcome(found('b').url, 'OK')
    journal.discover(found('c', 5))
    journal.outcome(found('c').url, 'TOO_DEEP')
    journal.discover(found('c', 2))
    const frontier = new CellFrontier(space, { maxDepth: 3 })
    await rebuildCell(() => [journal.finish()], frontier, space, NOBODY)
    expect(drain(frontier)).toEqual(['a@1 try 1 again', 'c@2 try 1'])
    frontier.close()
  })

  it('needs no more memory than it is given, and gives it all back', async () => {
    space.close()
    space = openSpace(200_000, 50_000)
    const journals: Uint8Array[] = []
    for (let pack = 0; pack < 50; pack++) {
      const journal = new JournalWriter('example.org')
      for (let n = 0; n < 1_000; n++) journal.discover(found(pack * 1_000 + n))
      for (let n = 0; n < 500; n++) journal.outcome(found(pack * 1_000 + n).url, 'OK')
      journals.push(journal.finish())
    }
    const frontier = new CellFrontier(space, { maxDepth: OFF })
    await rebuildCell(() => journals, frontier, space, NOBODY)
    expect(space.seen.usedBytes).toBeLessThanOrEqual(200_000)
    expect(space.queues.pool.usedBytes).toBeLessThanOrEqual(50_000)
    expect(frontier.size).toBe(25_000)
    for (let pack = 0; pack < 50; pack++) {
      for (let n = 500; n < 1_000; n++) {
        if (frontier.next(0)?.url !== found(pack * 1_000 + n).url) throw new Error(`wrong at ${pack}, ${n}`)
      }
    }
    frontier.close()
    expect([space.seen.file.pages, space.queues.file.pages, space.queues.pool.usedBytes]).toEqual([0, 0, 0])
  })
})
