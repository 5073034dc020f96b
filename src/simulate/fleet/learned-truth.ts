/** What an earlier crawl of a simulated web would have learned, computed from the web itself. */
import { type AssignmentName, isLearned, readGraphSettings } from '../../config/index.js'
import { siteOf } from '../../model/url/index.js'
import {
  type LearnedSite,
  type LearnedWeb,
  NetList,
  planGraph,
  planRouting,
  type RoutingTable,
} from '../../plan/assign/learned/index.js'
import type { Web } from '../ports/index.js'

/** One in this many sites is new: nothing was learned about it. */
const NEW_EVERY = 9
const HREF = /href="([^"]+)"/g

export function learnedTruth(web: Web): LearnedWeb {
  const numbers = new Map<string, number>()
  const pages: number[] = []
  const bytes: number[] = []
  const nets = new Map<string, number>()
  const read: { readonly site: string; readonly targets: readonly string[] }[] = []
  for (const [url, outcome] of web.truth()) {
    const site = siteOf(url)
    if (web.siteOf(site) % NEW_EVERY === NEW_EVERY - 1) continue
    const number = numbers.get(site) ?? numbers.size
    numbers.set(site, number)
    const { body } = outcome === 'OK' ? web.answer(url, 1) : { body: '' }
    pages[number] = (pages[number] ?? 0) + 1
    bytes[number] = (bytes[number] ?? 0) + body.length
    const targets = [...body.matchAll(HREF)].filter(([, href]) => !href.startsWith('/'))
    read.push({ site, targets: targets.map(([, href]) => siteOf(href)) })
  }
  for (const { site, targets } of read) {
    const known = targets.filter(target => target !== site && numbers.has(target))
    if (known.length === 0) continue
    const pins = [
      numbers.get(site)!,
      ...[...new Set(known.map(target => numbers.get(target)!))].sort((a, b) => a - b),
    ]
    nets.set(pins.join(' '), (nets.get(pins.join(' ')) ?? 0) + 1)
  }
  return {
    sites: [...numbers.keys()].map((site, i) => siteOfTruth(site, i, pages[i], bytes[i])),
    ...netArrays(nets),
  }
}

/** The routing table of a run; null if the assignment needs none, or if none can be made. */
export function routingTableFor(
  assign: AssignmentName,
  agents: number,
  seed: number,
  web: Web,
): RoutingTable | null {
  if (!isLearned(assign)) return null
  const shares = new Array<number>(agents).fill(1)
  const request = { shares, grouping: 'domain', seed, hasPulls: assign === 'hybrid' } as const
  const learned = learnedTruth(web)
  const graph = { ...readGraphSettings([]), agents: shares.map((_, i) => `agent-${i + 1}`) }
  const plan =
    assign === 'graph' ? planGraph(learned, { ...request, ...graph }) : planRouting(learned, request)
  return typeof plan === 'string' ? null : plan.table
}

/** Three sites share an address, with arbitrary distances to the agents. */
function siteOfTruth(site: string, number: number, pages: number, bytes: number): LearnedSite {
  const address = Math.floor(number / 3)
  const addresses = [`10.0.${address >> 8}.${address & 255}`]
  const connectMs = Object.fromEntries(
    [1, 2, 3].map(agent => [`agent-${agent}`, (address * 37 * agent) % 100]),
  )
  return { site, pages, bytes, fetchMs: 0, checked: 0, changed: 0, addresses, connectMs }
}

function netArrays(counts: ReadonlyMap<string, number>): Omit<LearnedWeb, 'sites'> {
  const nets = new NetList()
  for (const [key, count] of counts) nets.add(key.split(' ').map(Number), count)
  const { netOffsets, pins, netCosts } = nets.hypergraph(new Float64Array(0), 1)
  return { netOffsets, pins, counts: netCosts }
}
