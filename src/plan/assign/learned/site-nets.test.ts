import { expect, it } from 'vitest'
import type { LearnedWeb } from './learned-web.js'
import { planRouting } from './plan-routing.js'
import { planRepartition } from './repartition.js'

const BLOCK = 16
const BLOCKS = 4
const SITES = BLOCK * BLOCKS
const MANY_PAGES = 50

/**
 * Each site has many pages that link to one partner in another block, and one page for each site of its own
 * block: by pages the partners matter, by sites the blocks do.
 */
function web(): LearnedWeb {
  const pins: number[] = []
  const offsets = [0]
  const counts: number[] = []
  const net = (from: number, to: number, pages: number) => {
    pins.push(from, to)
    offsets.push(pins.length)
    counts.push(pages)
  }
  for (let site = 0; site < SITES; site++) {
    net(site, partnerOf(site), MANY_PAGES)
    for (let other = 0; other < SITES; other++)
      if (other !== site && blockOf(other) === blockOf(site)) net(site, other, 1)
  }
  const measured = { fetchMs: 10_000, checked: 0, changed: 0, addresses: [], connectMs: {} }
  return {
    sites: Array.from({ length: SITES }, (_, i) => ({
      ...{ site: `s${i}.test`, pages: MANY_PAGES + BLOCK, bytes: 1_000 },
      ...measured,
    })),
    netOffsets: Uint32Array.from(offsets),
    pins: Uint32Array.from(pins),
    counts: Float64Array.from(counts),
  }
}

function blockOf(site: number): number {
  return Math.floor(site / BLOCK)
}

function partnerOf(site: number): number {
  const place = site % BLOCK
  return (blockOf(site) ^ (1 + (place % 3))) * BLOCK + place
}

const SHARES = new Array<number>(BLOCKS).fill(1)

function planned(nets: 'page' | 'site') {
  const plan = planRouting(web(), { shares: SHARES, grouping: 'domain', seed: 1, nets })
  if (typeof plan === 'string') throw new Error(plan)
  return plan
}

it('with nets of sites the coalesced messages that are promised are the fewest, with nets of pages those of pages', () => {
  const [page, site] = [planned('page'), planned('site')]
  // Blocks together: every site sends one message, to its partner.
  expect(site.predicted.coalescedMessages).toBe(SITES)
  expect(page.predicted.coalescedMessages).toBeGreaterThan(1.5 * SITES)
  expect(page.predicted.messages).toBeLessThan(site.predicted.messages / 2)
})

it('what is left of a crawl is placed by the same nets', () => {
  const { table } = planned('page')
  const { sites } = web()
  const left = sites.map(({ site }) => ({
    ...{ site, queued: 1_000, known: 1_000, part: table.partOf(site) },
    ...{ heldBy: -1, isTakenOver: false },
  }))
  const agents = SHARES.map((share, i) => ({ name: `agent-${i + 1}`, share, lanes: 4 }))
  const asked = { agents, left, delayMs: 0, grouping: 'domain', seed: 1, graph: null } as const
  const bySite = planRepartition(web(), { ...asked, nets: 'site' })!
  // Messages of sites, each once; those of pages are a thousand times as many.
  expect(bySite.before.messages).toBe(planned('page').predicted.coalescedMessages)
  expect(bySite.after.messages).toBeLessThanOrEqual(bySite.before.messages)
  expect(planRepartition(web(), { ...asked, nets: 'page' })!.before.messages).toBeGreaterThan(SITES * 100)
})
