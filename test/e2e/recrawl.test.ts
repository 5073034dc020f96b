import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../src/compose/index.js'
import { query } from '../../src/index.js'
import { truth, WebPlan, WebServer } from '../../src/simulate/web/index.js'
import { checkWarcs } from '../kit/crawled.js'
import { GENERATED, orbweaver, temporary } from '../kit/orbweaver.js'

const filesOf = (folder: string) => readdirSync(folder, { recursive: true }).map(String).sort()

async function rows(directory: string, sql: string): Promise<Record<string, unknown>[]> {
  const found: Record<string, unknown>[] = []
  for await (const row of query(directory, sql)) found.push({ ...row })
  return found
}

describe('crawl again with --previous (D6, D7)', () => {
  it('asks only for what changed, visits every URL again, and copies text, facts and links of unchanged pages', async () => {
    const plan = new WebPlan({ sites: 5, pages: 250, seed: 9 })
    const server = await WebServer.listen(plan, { clock: systemClock, port: 0 })
    const [first, second] = [temporary('first'), temporary('second')]
    expect((await orbweaver(['crawl', server.seed, ...GENERATED, '--out', first])).code).toBe(0)
    const bytesBefore = server.counts().bytes
    const again = await orbweaver([
      'crawl',
      server.seed,
      ...GENERATED,
      '--previous',
      first,
      '--out',
      second,
      '--json',
    ])
    expect(again.code, again.stderr).toBe(0)
    const bytesAgain = server.counts().bytes - bytesBefore
    const expected = [...truth(plan, server.authority)].length
    const report = JSON.parse(again.stdout)
    expect(report.pages).toBe(expected)
    // A few objects have no validator: they come whole, and their digest says that nothing changed.
    expect(report.outcomes.NOT_MODIFIED).toBeGreaterThan(expected * 0.9)
    expect(report.outcomes.NOT_MODIFIED + (report.outcomes.OK ?? 0)).toBe(expected)
    expect(bytesAgain).toBeLessThan(bytesBefore / 4)
    const seen = 'SELECT count(DISTINCT url) AS n FROM pages'
    expect(await rows(second, seen)).toEqual(await rows(first, seen))
    const links = 'SELECT url, target FROM links GROUP BY ALL ORDER BY ALL'
    expect(await rows(second, links)).toEqual(await rows(first, links))
    const check = await checkWarcs(second)
    expect(check.types.revisit).toBe(expected)
    expect(check.problems).toEqual([])
    const said = `SELECT url, title, description, text, canonical, outlinks, outlinks_foreign, content_digest,
      content_mime_type, content_mime_detected, content_charset, content_languages FROM pages
      WHERE outcome IN ('OK', 'NOT_MODIFIED') ORDER BY url`
    expect(await rows(second, said)).toEqual(await rows(first, said))
    const third = temporary('third')
    const flags = [...GENERATED, '--previous', second, '--archive', 'none', '--out', third]
    expect((await orbweaver(['crawl', server.seed, ...flags])).code).toBe(0)
    expect(await rows(third, said)).toEqual(await rows(first, said))
    const [ofFirst, ofSecond] = [first, second].map(dir => `${dir}-markdown`)
    await orbweaver(['export', first, '--to', 'markdown', '--out', ofFirst])
    await orbweaver(['export', second, '--to', 'markdown', '--out', ofSecond])
    expect(filesOf(ofSecond)).toEqual(filesOf(ofFirst))
    const { recrawl, uniquePages } = report
    expect(recrawl).toEqual({
      previous: first,
      new: 0,
      changed: 0,
      unchanged: uniquePages,
      gone: 0,
      noPage: 0,
    })
    await server.close()
  })
})
