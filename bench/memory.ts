/**
 * Peak memory of a crawl with every default on that knows far more URLs than it has fetched: 1 M, then 10 M,
 * or as many as given (`npm run bench -- memory 100000 200000`).
 */
import { runMeasured } from './measure/measured-child.js'
import { ORBWEAVER } from './paths.js'
import { markdownTable } from './report/markdown.js'
import { LINKS_PER_PAGE, LinkFarm } from './server/link-farm.js'

const given = process.argv.slice(2).map(Number)
const KNOWN = given.length > 0 ? given : [1_000_000, 10_000_000]
const AT_MOST_BYTES = 300e6
const AT_MOST_GROWTH = 1.2
const DEADLINE_SECONDS = 900

interface Peak {
  readonly known: number
  readonly pages: number
  readonly seconds: number
  readonly bytes: number
}

async function main(): Promise<void> {
  const farm = await LinkFarm.listen()
  const peaks: Peak[] = []
  for (const known of KNOWN) peaks.push(await peakWith(farm, known))
  await farm.close()
  const rows = peaks.map((peak, i) => [
    peak.known.toLocaleString('en'),
    peak.pages.toLocaleString('en'),
    peak.seconds.toFixed(1),
    (peak.bytes / 1e6).toFixed(0),
    i === 0 ? `at most ${AT_MOST_BYTES / 1e6} MB` : `at most ${AT_MOST_GROWTH}x the first`,
    verdictOf(peak, peaks[0]),
  ])
  console.log(markdownTable(['known URLs', 'pages fetched', 'seconds', 'peak MB', 'target', 'verdict'], rows))
}

async function peakWith(farm: LinkFarm, known: number): Promise<Peak> {
  const before = farm.pages
  const wanted = Math.ceil(known / LINKS_PER_PAGE)
  const usage = await runMeasured(
    [
      ...[process.execPath, ORBWEAVER, 'crawl', ...farm.seeds, '--out', 'crawl', '--json'],
      ...['--max-pages', String(wanted), '--allow-private', '--delay', '0', '--connections-per-site', '4'],
    ],
    DEADLINE_SECONDS,
  )
  const pages = farm.pages - before
  if (pages < wanted) {
    throw new Error(
      `only ${pages} of ${wanted} pages, exit code ${usage.exitCode}: ${usage.stderr.slice(-500)}`,
    )
  }
  return { known: pages * LINKS_PER_PAGE, pages, seconds: usage.wallSeconds, bytes: usage.peakRssBytes }
}

function verdictOf(peak: Peak, first: Peak): string {
  const atMost = peak === first ? AT_MOST_BYTES : first.bytes * AT_MOST_GROWTH
  return peak.bytes <= atMost ? 'met' : '**missed**'
}

await main()
