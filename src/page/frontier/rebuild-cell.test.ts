import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { drain, found, OFF, shown, shrinkSpace, space } from '../../../test/kit/frontier-space.js'
import type { Discovery } from '../../model/index.js'
import { CellFrontier, type FrontierEntry } from './cell-frontier.js'
import { JournalWriter } from './journal-codec.js'
import { rebuildCell } from './rebuild-cell.js'

const NOBODY = { replay: () => {}, countPage: () => {} }

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
    shrinkSpace(200_000, 50_000)
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

describe('a URL whose stored copy was lost', () => {
  const URL = found(7).url

  /** Packs of one cell: each writes one journal. */
  async function rebuiltFrom(maxDepth: number, ...packs: ((journal: JournalWriter) => void)[]) {
    const blobs = packs.map(write => {
      const journal = new JournalWriter('example.org')
      write(journal)
      return journal.finish()
    })
    let pages = 0
    const frontier = new CellFrontier(space, { maxDepth })
    const count = { countPage: () => pages++, discountPage: () => pages-- }
    await rebuildCell(() => blobs, frontier, space, { replay: () => {}, ...count })
    const queued = drain(frontier)
    const isKnown = frontier.knows(URL, 1)
    frontier.close()
    return { queued, pages, isKnown }
  }
  const fetched = (journal: JournalWriter) => {
    journal.discover(found(7))
    journal.outcome(URL, 'OK', 1)
    journal.discover(found(8))
    journal.outcome(found(8).url, 'OK', 1)
  }

  for (const maxDepth of [OFF, 3]) {
    it(`is queued again, and stored by its next visit (--max-depth ${maxDepth})`, async () => {
      const lost = await rebuiltFrom(maxDepth, fetched, journal => journal.reopen(URL, 'OK'))
      expect(lost).toEqual({ queued: ['7@1 try 1'], pages: 1, isKnown: true })
    })

    it(`keeps its tries over a rebuild (--max-depth ${maxDepth})`, async () => {
      const failed = await rebuiltFrom(
        maxDepth,
        fetched,
        journal => journal.reopen(URL, 'OK'),
        journal => journal.retry(URL, 2, 0),
      )
      expect(failed).toEqual({ queued: ['7@1 try 2'], pages: 1, isKnown: true })
    })

    it(`is closed by the outcome of that visit (--max-depth ${maxDepth})`, async () => {
      const again = await rebuiltFrom(
        maxDepth,
        fetched,
        journal => journal.reopen(URL, 'OK'),
        journal => journal.outcome(URL, 'OK', 1),
      )
      expect(again).toEqual({ queued: [], pages: 2, isKnown: true })
    })
  }
})

describe('a journal of a version that kept escapes as written', () => {
  for (const maxDepth of [OFF, 3]) {
    it(`knows each URL in normal form too, and drops none that is queued (--max-depth ${maxDepth})`, async () => {
      const journal = new JournalWriter('example.org')
      for (const name of ['%66oo', 'foo', '%c3%a9', 'b%61r', 'plain']) journal.discover(found(name))
      journal.outcome(found('%66oo').url, 'OK', 1)
      journal.retry(found('b%61r').url, 2, 0)
      const frontier = new CellFrontier(space, { maxDepth })
      await rebuildCell(() => [journal.finish()], frontier, space, NOBODY)
      for (const name of ['foo', '%C3%A9', 'bar', 'plain', '%66oo', '%c3%a9', 'b%61r'])
        expect(frontier.knows(found(name).url, 1), name).toBe(true)
      expect(drain(frontier).sort()).toEqual([
        '%c3%a9@1 try 1',
        'b%61r@1 try 2',
        'foo@1 try 1',
        'plain@1 try 1',
      ])
      frontier.close()
    })
  }
})
