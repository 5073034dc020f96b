import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/compose/index.js'
import { truth, WebPlan, WebServer } from '../../src/simulate/web/index.js'
import { checkWarcs, urlsWith } from '../kit/crawled.js'
import { GENERATED, orbweaver, temporary } from '../kit/orbweaver.js'

describe('a crawl of the generated web', () => {
  const plan = new WebPlan({ sites: 15, pages: 1_500, seed: 11 })
  const out = temporary('crawl')
  let server: WebServer
  let expected: string[]

  beforeAll(async () => {
    server = await WebServer.listen(plan, { clock: systemClock, port: 0, failRate: 0.01 })
    expected = [...truth(plan, server.authority)].sort()
  })
  afterAll(() => server.close())

  it('ends with 0 and a report', async () => {
    const { code, stdout, stderr } = await orbweaver([
      'crawl',
      server.seed,
      ...GENERATED,
      '--out',
      out,
      '--json',
    ])
    expect(stderr).toContain('Done: ')
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      pages: expected.length,
      uniquePages: expected.length,
      overlap: 0,
      coverage: 1,
      finishReason: 'done',
      sites: 15,
    })
    expect(JSON.parse(readFileSync(join(out, 'report.json'), 'utf8')).pages).toBe(expected.length)
  })

  it('stores exactly the pages of the truth, each once', async () => {
    expect((await urlsWith(out, 'OK')).sort()).toEqual(expected)
  })

  it('leaves no row outside of Parquet', () => {
    for (const table of ['pages', 'links'])
      expect(readdirSync(join(out, 'tables', table)).filter(name => !name.endsWith('.parquet'))).toEqual([])
  })

  it('asked for nothing twice, nothing forbidden and nothing that is not a link', () => {
    expect(server.counts()).toMatchObject({
      covered: expected.length,
      violations: 0,
      decoys: 0,
      strays: 0,
      repeats: 0,
    })
  })

  it('leaves WARCs that warcio reads, every digest right, every page in them once', async () => {
    const check = await checkWarcs(out)
    expect(check.problems).toEqual([])
    expect([...check.pages].sort()).toEqual(expected)
    expect(check.types.request).toBe(check.types.response)
    expect(check.types.metadata).toBe(check.types.response)
    expect(check.types.warcinfo).toBeGreaterThan(0)
  })

  it('leaves a sorted index beside every WARC and nothing half-written', () => {
    const files = readdirSync(join(out, 'archive'))
    const warcs = files.filter(name => name.endsWith('.warc.gz'))
    for (const warc of warcs) {
      const index = readFileSync(join(out, 'archive', warc.replace('.warc.gz', '.cdxj')), 'utf8')
        .trimEnd()
        .split('\n')
      expect(index.length).toBeGreaterThan(expected.length)
      expect(index).toEqual([...index].sort())
    }
    expect(files.filter(name => name.endsWith('.open') || name.endsWith('.tmp'))).toEqual([])
    expect(existsSync(join(out, 'tables/manifest.json'))).toBe(true)
  })
})
