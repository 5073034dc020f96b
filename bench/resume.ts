/**
 * Seconds from the start of `orbweaver resume` to its first request, with its cache and without, for a crawl
 * that knows 1 M URLs, or as many as given (`npm run bench -- resume 100000`).
 */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { spawnOwned } from './measure/owned-child.js'
import { peakRssOf } from './measure/peak-rss.js'
import { ORBWEAVER } from './paths.js'
import { markdownTable } from './report/markdown.js'
import { LINKS_PER_PAGE, LinkFarm } from './server/link-farm.js'

const KNOWN = Number(process.argv[2] ?? 1_000_000)
const WITH_CACHE_SECONDS = 10
const WITHOUT_CACHE_SECONDS = 60
const DEADLINE_SECONDS = 300
/** Enough after the first request to see that the crawl goes on. */
const PAGES_AFTER = 100

async function main(): Promise<void> {
  const farm = await LinkFarm.listen()
  const folder = await mkdtemp(join(tmpdir(), 'orbweaver-resume-'))
  const crawl = join(folder, 'crawl')
  try {
    await crawlUntilKnown(farm, crawl)
    const withCache = await resumed(farm, crawl)
    await rm(join(crawl, 'frontier'), { recursive: true, force: true })
    const without = await resumed(farm, crawl)
    const known = KNOWN.toLocaleString('en')
    console.log(
      markdownTable(
        ['resume', 'known URLs', 'seconds to the first request', 'peak MB', 'target', 'verdict'],
        [
          row('with its cache', known, withCache, WITH_CACHE_SECONDS),
          row('without', known, without, WITHOUT_CACHE_SECONDS),
        ],
      ),
    )
  } finally {
    await farm.close()
    await rm(folder, { recursive: true, force: true })
  }
}

interface Resumed {
  readonly seconds: number
  readonly peakRssBytes: number
}

async function crawlUntilKnown(farm: LinkFarm, crawl: string): Promise<void> {
  const flags = ['--allow-private', '--delay', '0', '--connections-per-site', '4']
  const child = orbweaver(['crawl', ...farm.seeds, '--out', crawl, ...flags])
  await pagesServed(farm, KNOWN / LINKS_PER_PAGE, child)
  await interrupt(child)
}

async function resumed(farm: LinkFarm, crawl: string): Promise<Resumed> {
  const first = farm.nextRequest()
  const started = performance.now()
  const child = orbweaver(['resume', crawl])
  await Promise.race([first, failure(child)])
  const seconds = (performance.now() - started) / 1_000
  await pagesServed(farm, farm.pages + PAGES_AFTER, child)
  const peakRssBytes = peakRssOf(child.pid ?? 0)
  await interrupt(child)
  return { seconds, peakRssBytes }
}

function orbweaver(command: readonly string[]): ChildProcess {
  return spawnOwned([process.execPath, ORBWEAVER, ...command], { stdio: 'ignore' })
}

async function pagesServed(farm: LinkFarm, pages: number, child: ChildProcess): Promise<void> {
  for (let waitedMs = 0; farm.pages < pages; waitedMs += 20) {
    if (child.exitCode !== null)
      throw new Error(`it ended after ${farm.pages} pages, exit code ${child.exitCode}`)
    if (waitedMs > DEADLINE_SECONDS * 1_000) throw new Error(`only ${farm.pages} of ${pages} pages in time`)
    await sleep(20)
  }
}

async function failure(child: ChildProcess): Promise<never> {
  const late = sleep(DEADLINE_SECONDS * 1_000, undefined, { ref: false })
  await Promise.race([once(child, 'exit'), late])
  throw new Error(`no request within ${DEADLINE_SECONDS} s, exit code ${child.exitCode}`)
}

/** As Ctrl-C does: what is open is sealed, the cache written. */
async function interrupt(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGINT')
  await gone
}

function row(name: string, known: string, { seconds, peakRssBytes }: Resumed, atMost: number): string[] {
  const verdict = seconds <= atMost ? 'met' : '**missed**'
  return [name, known, seconds.toFixed(2), (peakRssBytes / 1e6).toFixed(0), `at most ${atMost} s`, verdict]
}

await main()
