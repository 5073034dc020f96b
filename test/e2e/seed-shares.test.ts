/**
 * The seed sites of a crawl are shared among its agents, however many lanes the first to start has free.
 *
 * @module-tag deep
 */
import { describe, expect, it } from 'vitest'
import type { Report } from '../../src/report/index.js'
import { NamedHosts, sited } from '../kit/named-hosts.js'
import { orbweaver, temporary } from '../kit/orbweaver.js'

/**
 * So few that a site is not worth moving: who has it at first crawls all of it, however busy the machine is.
 */
const PAGES = 4

async function shares(seeds: number, agents: number, ...flags: readonly string[]): Promise<number[]> {
  const hosts = await NamedHosts.start()
  const urls = Array.from({ length: seeds }, (_, i) => hosts.set(`site${i}.test`, sited(PAGES - 1)))
  const usual = [
    '--delay',
    '0',
    '--agents',
    String(agents),
    '--archive',
    'none',
    '--tables',
    'none',
    '--json',
  ]
  const args = ['crawl', ...urls, ...hosts.flags, ...usual, ...flags, '--out', temporary('crawl')]
  const { code, stdout, stderr } = await orbweaver(args)
  await hosts.close()
  expect(code, stderr).toBe(0)
  const report = JSON.parse(stdout) as Report
  expect(report.pages).toBe(seeds * PAGES)
  return report.agents.map(({ pages }) => pages)
}

describe.each([2, 4, 8])('%i agents with default lanes', agents => {
  it.each([8, 40, 400])('crawl an equal share of %i seed sites each', async seeds => {
    const pages = await shares(seeds, agents)
    const equal = (seeds * PAGES) / agents
    expect(pages).toHaveLength(agents)
    for (const share of pages)
      expect(Math.abs(share - equal), pages.join(' ')).toBeLessThanOrEqual(equal / 10)
  })
})

it('8 agents share more seed sites than they have lanes', async () => {
  const pages = await shares(500, 8, '--lanes', '50')
  expect(pages).toHaveLength(8)
  for (const share of pages) expect(Math.abs(share - 250), pages.join(' ')).toBeLessThanOrEqual(25)
})

it.each(['hash', 'static-random', 'static-size'])('with %s no agent has all of them', async assign => {
  const pages = await shares(80, 2, '--assign', assign)
  expect(pages).toHaveLength(2)
  for (const share of pages) expect(share, pages.join(' ')).toBeGreaterThan(80 * PAGES * 0.2)
})
