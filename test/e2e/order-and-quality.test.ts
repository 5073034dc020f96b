import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/compose/index.js'
import { rankedTruth, WebPlan, WebServer } from '../../src/simulate/web/index.js'
import { GENERATED, orbweaver, temporary } from '../kit/orbweaver.js'

/** D23, D25: how good the first pages of a crawl are, against the PageRank of the generated web. */
describe('quality of the first pages', () => {
  // One site: of several the machine's load decides which are crawled first.
  const plan = new WebPlan({ sites: 1, pages: 1_500, seed: 5 })
  const folder = temporary('')
  const ranks = join(folder, 'ranks.tsv')
  let server: WebServer

  beforeAll(async () => {
    server = await WebServer.listen(plan, { clock: systemClock, port: 0 })
    writeFileSync(ranks, [...rankedTruth(plan, server.authority)].join('\n'))
  })
  afterAll(() => server.close())

  async function crawl(name: string, ...flags: string[]) {
    const out = join(folder, name)
    const fixed = ['--out', out, '--archive', 'none', '--sitemap', 'none', '--truth', ranks, '--json']
    const { stdout, stderr } = await orbweaver(['crawl', server.seed, ...GENERATED, ...fixed, ...flags])
    expect(stderr).toContain('pages from')
    return JSON.parse(stdout) as {
      pages: number
      coverage: number
      quality: number
      coverageIsEstimate: boolean
    }
  }

  it('is higher by in-links than breadth first, both better than chance, and coverage is exact', async () => {
    const breadth = await crawl('breadth', '--max-pages', '375')
    const inlinks = await crawl('inlinks', '--max-pages', '375', '--order', 'inlinks')
    expect(breadth).toMatchObject({ pages: 375, coverageIsEstimate: false, coverage: inlinks.coverage })
    // Pages drawn at random would have the quality of their share: 0.57 and 0.83 against 0.25.
    expect(breadth.quality).toBeGreaterThan(breadth.coverage + 0.1)
    expect(inlinks.quality).toBeGreaterThan(breadth.quality + 0.1)
  })

  it('of a whole crawl is 1, whatever the order, and so it stands in its status', async () => {
    expect(await crawl('whole', '--order', 'inlinks')).toMatchObject({ coverage: 1, quality: 1 })
    const { stdout } = await orbweaver(['status', join(folder, 'whole'), '--metrics', '--json'])
    expect(JSON.parse(stdout)).toMatchObject({
      overlap: 0,
      overlapFetches: 0,
      coverage: 1,
      quality: 1,
      messages: 0,
    })
  })
})
