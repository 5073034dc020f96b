/**
 * What a user is shown of a crawl by several processes is true: all of them are in it, and one that was
 * killed is not.
 *
 * @module-tag deep
 */
import { once } from 'node:events'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { AgentState } from '../../src/cli/output/agent-lines.js'
import { WebPlan } from '../../src/simulate/web/index.js'
import { ClusterWeb } from '../kit/cluster-web.js'
import { GENERATED, orbweaver, type RunningCommand, start, temporary } from '../kit/orbweaver.js'

const PATIENCE = { timeout: 60_000, interval: 200 }

let cluster: ClusterWeb
const running: RunningCommand[] = []
const begin = (args: readonly string[]) => {
  const command = start(args)
  running.push(command)
  return command
}

beforeAll(async () => {
  cluster = await ClusterWeb.start(new WebPlan({ sites: 20, pages: 20_000, seed: 9 }))
})
afterAll(async () => {
  for (const { process } of running) process.kill('SIGKILL')
  await cluster.close()
})

const pagesShown = (said: string) =>
  [...said.matchAll(/([\d,]+) pages · /g)].map(([, pages]) => Number(pages.replaceAll(',', '')))

async function statusOf(out: string): Promise<{ pages: number; agents: readonly AgentState[] }> {
  const { code, stdout, stderr } = await orbweaver(['status', out, '--json'])
  expect(code, stderr).toBe(0)
  return JSON.parse(stdout)
}

it('the progress line is of all processes, and status knows who is not heard from', async () => {
  const out = temporary('crawl')
  const flags = [...GENERATED, ...cluster.named('figures'), '--rate', '30', '--lanes', '1', '--out', out]
  const crawl = begin(['crawl', cluster.web.seed, ...flags])
  await cluster.untilAsked(20, crawl)
  const agents = [1, 2].map(() => begin(['agent', out, '--lanes', '4']))
  const line = async (count: number) => {
    while (pagesShown(crawl.said()).length < count) await once(crawl.process.stderr!, 'data')
    return pagesShown(crawl.said())[count - 1]
  }
  const names = agents.map(({ process }) => new RegExp(`:${process.pid}$`))
  await vi.waitFor(async () => {
    const { agents } = await statusOf(out)
    expect(agents.filter(({ name, pages }) => names.some(own => own.test(name)) && pages > 0)).toHaveLength(2)
  }, PATIENCE)
  const count = pagesShown(crawl.said()).length
  const { pages } = await statusOf(out)
  // Of the next two lines the second is more than a heartbeat away.
  expect(await line(count + 2)).toBeGreaterThanOrEqual(pages)

  agents[0].process.kill('SIGKILL')
  await vi.waitFor(async () => {
    const states = (await statusOf(out)).agents
    const killed = states.find(({ name }) => names[0].test(name))
    expect(killed).toMatchObject({ isSilent: true, busyLanes: 0, freeLanes: 0, load: null, peers: [] })
    expect(states.filter(({ isSilent }) => !isSilent)).toHaveLength(2)
  }, PATIENCE)
  const { stdout } = await orbweaver(['status', out])
  expect(stdout).toContain(' not heard from for ')
})
