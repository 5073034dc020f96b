/**
 * The same on PostgreSQL, by processes: one that crawls and coordinates, one elsewhere that joins and takes
 * the part that waits for it.
 *
 * @module-tag deep
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Report } from '../../src/report/index.js'
import { WebPlan } from '../../src/simulate/web/index.js'
import { ClusterWeb } from '../kit/cluster-web.js'
import { urlsWith } from '../kit/crawled.js'
import { GENERATED, orbweaver, temporary } from '../kit/orbweaver.js'

let cluster: ClusterWeb
beforeAll(async () => {
  cluster = await ClusterWeb.start(
    new WebPlan({ sites: 30, pages: 300, seed: 2, foreignShare: 0.04, communities: 9, topicShare: 0.97 }),
  )
}, 120_000)
afterAll(() => cluster.close())

/** As they last said: without the table they would have been given every site of their part. */
async function takenByOthers(crawl: string): Promise<number> {
  const { Client } = await import('pg')
  const client = new Client({ connectionString: cluster.postgres.url() })
  await client.connect()
  const { rows } = await client.query(
    `SELECT status FROM "orbweaver ${crawl}".agent WHERE name LIKE '%:%' AND lanes > 0`,
  )
  await client.end()
  const words = (rows as { status: string }[]).map(({ status }) => JSON.parse(status) as { taken?: number })
  return words.reduce((sum, { taken = 0 }) => sum + taken, 0)
}

it('an agent that joins and does not see the store gets the table over its channel, and takes its part by it', async () => {
  const usual = ['crawl', cluster.web.seed, ...GENERATED, '--lanes', '3', '--sitemap', 'none', '--json']
  const [first, second] = [temporary('first'), temporary('second')]
  const hashed = await orbweaver([
    ...usual,
    ...cluster.named('first'),
    '--agents',
    '2',
    '--assign',
    'hash',
    '--out',
    first,
  ])
  expect(hashed.code, hashed.stderr).toBe(0)
  const learned = ['--assign', 'hypergraph', '--parts', '2', '--previous', first]
  const crawl = cluster.begin([
    ...usual,
    ...cluster.named('second'),
    ...learned,
    '--rate',
    '20',
    '--out',
    second,
  ])
  await cluster.untilAsked(cluster.web.counts().requests + 2, crawl)
  const otherAgent = cluster.begin(['agent', ...cluster.named('second'), '--store', 'none'])
  while (!otherAgent.said().includes('joins') && otherAgent.process.exitCode === null) await sleep(50)
  await orbweaver(['set', second, 'rate=500'])
  const { code, stdout, stderr } = await crawl.ended
  expect(code, stderr).toBe(0)
  const report = JSON.parse(stdout) as Report
  const { routing, routed, agents } = report
  if (routing === null || 'why' in routing) throw new Error(`no routing: ${routing?.why}`)
  expect(routing.parts).toBe(2)
  expect(agents.filter(({ pages }) => pages > 0)).toHaveLength(2)
  expect(routed).toMatchObject({ tableBytes: routing.bytes })
  expect(await takenByOthers('second')).toBeGreaterThan(0)
  const stored = [...(await urlsWith(second, 'OK')), ...(await urlsWith(second, 'NOT_MODIFIED'))]
  expect(stored.sort()).toEqual(cluster.expected)
}, 180_000)
