/** `orbweaver demo`: serves a generated web, crawls it, and runs three queries on the result, offline. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { checkConfig } from '../config/index.js'
import { openTables } from '../data/query/index.js'
import { number, plural, shellWord } from '../model/index.js'
import type { Platform } from '../runtime/platform/index.js'
import { createSession } from '../runtime/session/index.js'
import { truth, WebPlan, WebServer } from '../simulate/web/index.js'
import type { Say } from './commands.js'
import { EXIT } from './exit/index.js'
import { tell } from './output/index.js'
import { tableText } from './query.js'
import { watch } from './watch-session.js'

const SITES = 12
const PAGES = 3_000
const TABLE_WIDTH = 100
const QUERIES = [
  'SELECT outcome, count(*) AS urls, round(avg(fetch_ms), 1) AS ms FROM pages GROUP BY outcome ORDER BY urls DESC',
  'SELECT url_host_name, count(*) AS pages FROM pages WHERE fetch_status = 200 GROUP BY ALL ORDER BY pages DESC LIMIT 5',
  'SELECT target_host_name, count(*) AS links FROM links GROUP BY ALL ORDER BY links DESC LIMIT 5',
]

export function demoCommand(say: Say, platform: Platform): Command {
  return new Command('demo')
    .option('--out <dir>', 'directory for the crawl (default: a temporary directory)')
    .action(async (options: { out?: string }) => {
      const out = options.out ?? join(mkdtempSync(join(tmpdir(), 'orbweaver-demo-')), 'crawl')
      say(await demo(out, platform))
    })
}

async function demo(out: string, platform: Platform): Promise<number> {
  const plan = new WebPlan({ sites: SITES, pages: PAGES, seed: 1 })
  const server = await WebServer.listen(plan, { clock: platform.clock, port: 0 })
  try {
    tell(`1. A web of ${SITES} sites and ${number(PAGES)} pages is served at ${server.seed}\n`)
    tell(
      `2. Crawling it: orbweaver crawl ${server.seed} --scope any --delay 0 --resolve '*.test=127.0.0.1' --out ${shellWord(out)}\n`,
    )
    const config = checkConfig({
      seeds: [server.seed],
      scope: 'any',
      delay: 0,
      resolve: ['*.test=127.0.0.1'],
      out,
      contact: 'https://example.org/demo',
    })
    const code = await watch(platform.clock, createSession(platform, config, out), out, false)
    if (code !== EXIT.done) return code
    const expected = [...truth(plan, server.authority)].length
    const tables = await openTables(out)
    const found = await single(tables.query("SELECT count(*) AS n FROM pages WHERE outcome = 'OK'"))
    tell(
      `3. The web has ${plural(expected, 'page')} and objects a full crawl must find; the crawl found ${found}.\n`,
    )
    tell('4. Querying it:\n')
    for (const sql of QUERIES) {
      tell(`\n   orbweaver query ${shellWord(out)} "${sql}"\n\n`)
      tell(await tableText(await tables.run(sql), TABLE_WIDTH))
    }
    await tables.close()
    tell(`\nThe crawl stays in ${out}; to explore it: orbweaver query ${shellWord(out)}\n`)
    return String(found) === String(expected) ? EXIT.done : EXIT.internal
  } finally {
    await server.close()
  }
}

async function single(rows: AsyncIterable<Readonly<Record<string, unknown>>>): Promise<unknown> {
  for await (const row of rows) return Object.values(row)[0]
  return undefined
}
