import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { ManualClock } from '../../../../test/kit/manual-clock.js'
import { type Discovery, sitemapMark } from '../../../model/index.js'
import { ALL_TRAPS } from '../../../model/trap.js'
import { CellFrontier, FrontierSpace, JournalWriter, rebuildCell } from '../index.js'
import { SiteTraps } from './site-traps.js'

let folder = ''
let space: FrontierSpace
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-traps-'))
  space = new FrontierSpace({ folder, seenBytes: 1e7, queueBytes: 1e7, salt: 4 })
})
afterEach(() => {
  space.close()
  rmSync(folder, { recursive: true, force: true })
})

const clock = new ManualClock()

class Cell {
  readonly frontier: CellFrontier
  readonly traps: SiteTraps
  readonly journal = new JournalWriter('example.org')

  constructor(maxDepth: number) {
    this.frontier = new CellFrontier(space, { maxDepth })
    this.traps = new SiteTraps({ rules: new Set(ALL_TRAPS), maxPages: 1e9, clock, known: this.frontier })
  }

  /** What the agent does with a URL; says what became of it. */
  take(discovery: Discovery): string {
    if (this.frontier.knows(discovery.url, discovery.depth)) return 'known'
    const standing = this.frontier.standingOf(discovery.url)
    if (standing === 'refused') return 'refused before'
    const rule = standing === 'new' ? this.traps.judge(discovery) : null
    this.journal.discover(discovery)
    if (rule === null) this.frontier.offer(discovery)
    else {
      this.frontier.refuse(discovery)
      this.journal.outcome(discovery.url, `TRAP:${rule}`, discovery.depth)
    }
    return rule ?? 'queued'
  }
}

const at = (path: string) => `https://example.org${path}`
const word = fc.constantFrom('a', 'b', 'c')
const path = fc.oneof(
  fc.array(word, { maxLength: 7 }).map(words => `/${words.join('/')}/`),
  fc.nat(40).map(n => `/g/${'x'.repeat(n)}`),
  fc
    .record({ y: fc.integer({ min: 1960, max: 2040 }), m: fc.integer({ min: 1, max: 12 }) })
    .map(({ y, m }) => `/cal/${y}/${m}/`),
  fc
    .array(fc.tuple(word, fc.nat(3)), { maxLength: 4 })
    .map(pairs => `/shop?${pairs.map(([k, v]) => `${k}=${v}`).join('&')}`),
  fc.nat(3).map(n => sitemapMark(`/sitemap-${n}.xml`)),
)
const discovery = fc
  .record({ to: path, from: path, depth: fc.nat(4) })
  .map(({ to, from, depth }): Discovery => ({ url: at(to), depth, hops: 0, score: 0, via: at(from) }))

it.each([Number.POSITIVE_INFINITY, 3])(
  'a cell rebuilt from its journal judges as the one that was never lost (--max-depth %s)',
  async maxDepth => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(discovery, { maxLength: 120 }),
        fc.array(discovery, { maxLength: 60 }),
        async (before, after) => {
          const live = new Cell(maxDepth)
          for (const found of before) live.take(found)
          const rebuilt = new Cell(maxDepth)
          await rebuildCell(() => [live.journal.finish()], rebuilt.frontier, space, rebuilt.traps)
          expect(rebuilt.frontier.size).toBe(live.frontier.size)
          for (const found of after) expect(rebuilt.take(found)).toBe(live.take(found))
          live.frontier.close()
          rebuilt.frontier.close()
        },
      ),
      { numRuns: 150 },
    )
  },
)
