/** @module-tag deep */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/compose/index.js'
import { truth, WebPlan, WebServer } from '../../src/simulate/web/index.js'
import { checkWarcs, urlsWith } from '../kit/crawled.js'
import { GENERATED, orbweaver, start, temporary } from '../kit/orbweaver.js'

describe('--archive zstd, on any Node', () => {
  const plan = new WebPlan({ sites: 5, pages: 300, seed: 23 })
  const [small, fast] = [temporary('small'), temporary('fast')]
  let server: WebServer
  let expected: string[]
  beforeAll(async () => {
    server = await WebServer.listen(plan, { clock: systemClock, port: 0 })
    expected = [...truth(plan, server.authority)].sort()
  })
  afterAll(() => server.close())

  const warcs = (directory: string) =>
    readdirSync(join(directory, 'archive')).filter(name => name.includes('.warc'))
  const sizeOf = (directory: string) =>
    warcs(directory).reduce((sum, name) => sum + statSync(join(directory, 'archive', name)).size, 0)

  it('archives every page once, every record readable, every digest right', async () => {
    const { code } = await orbweaver([
      'crawl',
      server.seed,
      ...GENERATED,
      '--archive',
      'zstd:12',
      '--out',
      small,
    ])
    expect(code).toBe(0)
    expect(warcs(small).every(name => name.endsWith('.warc.zst'))).toBe(true)
    const check = await checkWarcs(small)
    expect(check.problems).toEqual([])
    expect([...check.pages].sort()).toEqual(expected)
  })

  it('is read by export, body by body at the places that the tables name', async () => {
    const to = temporary('pages')
    const { code, stderr } = await orbweaver(['export', small, '--to', 'files', '--out', to])
    expect(stderr).not.toMatch(/damaged|is cut|larger|zstd/)
    expect(code).toBe(0)
    const files = readdirSync(to, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
    const pages = files.filter(({ name }) => /\.html?$/.test(name))
    expect(pages.length).toBeGreaterThanOrEqual(expected.length * 0.9)
    for (const { parentPath, name } of pages.slice(0, 50))
      expect(readFileSync(join(parentPath, name), 'utf8')).toMatch(/<html/i)
  })

  it('killed in the middle and resumed, at level 1: all of it, each page once, larger than at level 12', async () => {
    const slow = await WebServer.listen(plan, { clock: systemClock, port: 0, latencyMs: 8 })
    const command = start(['crawl', slow.seed, ...GENERATED, '--archive', 'zstd:1', '--out', fast])
    while (slow.counts().requests < 150) await new Promise(resolve => setTimeout(resolve, 5))
    command.process.kill('SIGKILL')
    expect((await command.ended).signal).toBe('SIGKILL')
    expect((await orbweaver(['resume', fast])).code).toBe(0)
    const all = [...truth(plan, slow.authority)].sort()
    await slow.close()
    expect((await urlsWith(fast, 'OK')).sort()).toEqual(all)
    const check = await checkWarcs(fast)
    expect(check.problems).toEqual([])
    expect([...check.pages].sort()).toEqual(all)
    expect(sizeOf(fast)).toBeGreaterThan(sizeOf(small))
  })
})
