/** @module-tag deep */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type AgentState, agentStates } from '../../src/cli/output/agent-lines.js'
import { systemClock } from '../../src/compose/index.js'
import { LEDGER_FILE, openSqliteLedger } from '../../src/ledger/sqlite/index.js'
import type { Report } from '../../src/report/index.js'
import { WebPlan, WebServer } from '../../src/simulate/web/index.js'
import { closerThan, NamedHosts, sited } from '../kit/named-hosts.js'
import { GENERATED, orbweaver, start, temporary } from '../kit/orbweaver.js'

const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))
const logOf = (out: string) => readFileSync(join(out, 'crawl.log'), 'utf8')

/** A guest that takes nearly all the time of one agent's thread, for twelve seconds after a file appears. */
const BUSY = `
import { existsSync } from 'node:fs'
import { workerData } from 'node:worker_threads'
let until = 0
const toil = () => {
  if (until === 0 && existsSync(import.meta.filename + '.now')) until = performance.now() + 12_000
  const end = performance.now() + 180
  while (performance.now() < Math.min(end, until));
  if (until === 0 || until > end) setTimeout(toil, 20).unref()
}
if (workerData?.order?.agent === 'agent-1') toil()
export const accept = () => true
`

async function agentsOf(out: string): Promise<AgentState[]> {
  const said = await orbweaver(['status', out, '--json'])
  return (JSON.parse(said.stdout || '{}') as { agents?: AgentState[] }).agents ?? []
}

describe('agents that share a crawl', () => {
  it('pass the turn of a group on: two that have sites of it both get ahead, and none asks within the delay', async () => {
    const hosts = await NamedHosts.start()
    const seeds = Array.from({ length: 8 }, (_, i) => hosts.set(`s${i}.group.test`, sited(34)))
    const out = temporary('crawl')
    const flags = ['--delay', '100', '--agents', '2', '--lanes', '4', '--assign', 'static-random']
    const sources = ['--source-address', '127.0.0.31', '--source-address', '127.0.0.32']
    const end = await orbweaver(['crawl', ...seeds, ...hosts.flags, ...flags, ...sources, '--out', out])
    await hosts.close()
    expect(end.code, end.stderr).toBe(0)
    const pages = hosts.log.filter(({ path }) => path !== '/robots.txt')
    expect(pages).toHaveLength(8 * 35)
    const changes = pages.filter(({ from }, i) => i > 0 && from !== pages[i - 1].from)
    // One for each who came to an end; more only when a turn was passed on before that.
    expect(changes.length).toBeGreaterThan(1)
    expect(closerThan(100 - 2, hosts.log)).toEqual([])
  })

  it('say how busy they are; a busy one is given fewer sites and is not taken for dead', async () => {
    const knobs = { clock: systemClock, port: 0, latencyMs: 150 }
    const server = await WebServer.listen(new WebPlan({ sites: 60, pages: 3_000, seed: 8 }), knobs)
    const out = temporary('crawl')
    const guest = temporary('busy.mjs')
    writeFileSync(guest, BUSY)
    const flags = ['--agents', '2', '--lanes', '8', '--out', out, '--json', '--guest', guest, '--trusted']
    const env = { ORBWEAVER_FAULTS: 'lease=6000' }
    const crawl = start(['crawl', server.seed, ...GENERATED, ...flags], env)
    while (server.counts().requests < 200) await pause(20)
    let agents = await agentsOf(out)
    for (; agents.length < 2 || agents.some(({ peers }) => peers.length === 0); agents = await agentsOf(out));
    expect(agents.map(({ name }) => name)).toEqual(['agent-1', 'agent-2'])
    for (const { load, peers, capacity } of agents) {
      expect(Object.keys(load!).sort()).toEqual([
        'bandwidthFree',
        'bytesPerSecond',
        'cpuIdle',
        'diskFree',
        'memoryFree',
      ])
      expect(peers[0].rttMs).toBeGreaterThan(0)
      expect(peers[0].bytesPerSecond).toBeGreaterThan(0)
      expect(capacity).toBeGreaterThan(0)
    }
    writeFileSync(`${guest}.now`, '')
    const ledger = openSqliteLedger(join(out, LEDGER_FILE), { create: false, now: systemClock.now })
    let [busy] = agents
    while (busy && (busy.load!.cpuIdle > 0.15 || busy.busyLanes + busy.freeLanes > 4)) {
      await pause(100)
      busy = agentStates(await ledger.agents())[0]
    }
    await ledger.close()
    expect(busy, 'it was busy, and had a half of its lanes at most').toBeDefined()
    knobs.latencyMs = 0
    const end = await crawl.ended
    await server.close()
    expect(end.code, end.stderr).toBe(0)
    const { agents: done } = JSON.parse(end.stdout) as Report
    expect(done.map(({ lives }) => lives)).toEqual([1, 1])
    expect(logOf(out)).not.toMatch(/silent|died|cells lost/)
  })

  it('go on where they were when the whole machine stood still for longer than their leases', async () => {
    const server = await WebServer.listen(new WebPlan({ sites: 10, pages: 400, seed: 9 }), {
      clock: systemClock,
      port: 0,
      latencyMs: 40,
    })
    const out = temporary('crawl')
    const env = { ORBWEAVER_FAULTS: 'lease=4000' }
    const crawl = start(['crawl', server.seed, ...GENERATED, '--agents', '2', '--out', out, '--json'], env)
    while (server.counts().requests < 50) await pause(20)
    crawl.process.kill('SIGSTOP')
    await pause(10_000)
    crawl.process.kill('SIGCONT')
    const end = await crawl.ended
    await server.close()
    expect(end.code, end.stderr).toBe(0)
    const { agents } = JSON.parse(end.stdout) as Report
    expect(agents.map(({ lives }) => lives)).toEqual([1, 1])
    expect(logOf(out)).not.toMatch(/silent|died/)
  })
})
