import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { readGraphSettings } from '../../config/index.js'
import { type AgentAbility, RoutingTable } from '../../plan/assign/learned/index.js'
import { LearnedWriter } from '../../plan/learn/index.js'
import { makeRoutes, type Routes, type RouteTask } from './route-task.js'

const root = mkdtempSync(join(tmpdir(), 'orb-routes-'))
afterAll(() => rmSync(root, { recursive: true }))
const outPath = join(root, 'learned/routing.bin')

const SITES = 40
const PAGES = 10
const siteName = (i: number) => `s${i}.test`

interface Learned {
  readonly agents?: readonly AgentAbility[]
  readonly addressOf?: (site: number) => string
  readonly isLinked?: boolean
}

/** A web of forty equal sites in a ring, as an earlier crawl learned it. */
async function learn({ agents = [], addressOf, isLinked = true }: Learned = {}): Promise<void> {
  const numbers = Array.from({ length: SITES }, (_, i) => i)
  const lines = {
    nets: isLinked ? numbers.map(i => `5\t${siteName(i)} ${siteName((i + 1) % SITES)}`) : [],
    hosts: addressOf ? numbers.map(i => `${siteName(i)}\t${addressOf(i)}\tagent-1\t1\t0\t0\t0`) : [],
  }
  const writer = new LearnedWriter()
  writer.add(
    numbers.map(i => ({
      ...{ site: siteName(i), pages: PAGES, bytes: 1_000, fetchMs: 10 },
      ...{ notModified: 0, isWhole: true },
    })),
  )
  rmSync(join(root, 'learned'), { recursive: true, force: true })
  const files = (['nets', 'hosts'] as const).map(kind => ({
    name: `learned/${kind}-1.gz`,
    kind: `learned-${kind}`,
    content: gzipSync(lines[kind].map(line => `${line}\n`).join('')),
  }))
  const task = { directory: root, crawl: 'first', now: 0, hasLinks: true, agents, previous: null }
  await writer.finish({ ...task, files: [] })
  for (const { name, content } of files) writeFileSync(join(root, name), content)
  await writer.finish({ ...task, files })
}

async function routes(more: Partial<RouteTask> = {}): Promise<Exclude<Routes, { why: string }>> {
  const made = await plan(more)
  if ('why' in made) throw new Error(made.why)
  return made
}

async function plan(more: Partial<RouteTask>): Promise<Routes> {
  const made = await makeRoutes({
    ...{ from: root, crawl: 'first', outPath, seeds: [siteName(0)], grouping: 'domain', seed: 1 },
    ...{ splits: [], parts: 2, shares: null, graph: null, names: ['agent-1', 'agent-2'] },
    ...more,
  })
  if ('heavy' in made) throw new Error('sites are too heavy')
  return made
}

function pagesOf(part: number): number {
  const table = RoutingTable.decode(readFileSync(outPath))!
  return (
    PAGES * Array.from({ length: SITES }, (_, i) => table.partOf(siteName(i))).filter(p => p === part).length
  )
}

describe('what was learned of another web', () => {
  it('is not gone by: none of the sites that the crawl begins with is known', async () => {
    await learn()
    expect(await plan({ seeds: ['x.test'] })).toEqual({
      why: `what ${root} has learned describes another web: it does not know x.test`,
    })
    const many = Array.from({ length: 30 }, (_, i) => `x${i}.test`)
    expect(await plan({ seeds: [...many, siteName(3)] })).toMatchObject({
      why: expect.stringMatching(/describes another web: it knows 3 % of the seeds' sites$/),
    })
    expect(await plan({ seeds: [...many.slice(0, 5), siteName(3)] })).not.toHaveProperty('why')
  })
})

describe('parts', () => {
  const slow: AgentAbility[] = [
    { name: 'agent-1', lanes: 10, speed: 50, room: 1 },
    { name: 'far:17', lanes: 10, speed: 150, room: 1 },
  ]

  it('are as large as their agents were able in the crawl before, and meant for those', async () => {
    await learn({ agents: slow })
    const made = await routes({ names: ['agent-1'] })
    expect(made).toMatchObject({ shares: [0.33, 1], owners: ['agent-1', 'far:17'] })
    expect(pagesOf(0) / pagesOf(1)).toBeCloseTo(1 / 3, 1)
  })

  it('are equal, and anybody has them, where agents are threads of one machine', async () => {
    await learn({ agents: slow })
    const made = await routes()
    expect(made.shares).toEqual([1, 1])
    expect(made.owners).toBeUndefined()
    expect(pagesOf(0)).toBe(pagesOf(1))
  })

  it('are as a user says, whatever was measured', async () => {
    await learn({ agents: slow })
    expect((await routes({ names: ['agent-1'], shares: [3, 1] })).owners).toBeUndefined()
    expect(pagesOf(0) / pagesOf(1)).toBeCloseTo(3, 0)
  })

  it('say how many nets they are made of', async () => {
    await learn({ isLinked: false })
    expect(await routes()).toMatchObject({ nets: 0, sites: SITES })
    await learn()
    expect(await routes()).toMatchObject({ nets: SITES })
  })
})

describe('with addresses as vertices', () => {
  const graph = readGraphSettings(['vertices=address'])

  it('prefixes say what the table says, and route sites that nothing is known of but their address', async () => {
    // Four sites to an address, five addresses to a network.
    await learn({ addressOf: i => `10.${Math.floor(i / 20)}.0.${Math.floor(i / 4)}` })
    const { prefixes } = await routes({ graph })
    expect(prefixes).toBeGreaterThanOrEqual(2)
    const table = RoutingTable.decode(readFileSync(outPath))!
    for (let i = 0; i < SITES; i++)
      expect(table.partOf(`10.${Math.floor(i / 20)}.0.${Math.floor(i / 4)}:8080`)).toBe(
        table.partOf(siteName(i)),
      )
    expect(table.partOf('new.test')).toBe(-1)
  })

  it('no number of prefixes is told where sites of one address are in several parts', async () => {
    await learn({ addressOf: () => '10.0.0.1' })
    const { prefixes } = await routes({ graph })
    expect(prefixes).toBeNull()
    expect(RoutingTable.decode(readFileSync(outPath))!.partOf('10.0.0.1')).toBe(-1)
  })
})
