/**
 * The real crawls of `orbweaver experiment assignments`. This process serves the generated web; each crawl is
 * a process of its own, so that its CPU time can be measured.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock as clock } from '../src/compose/index.js'
import type { Report } from '../src/report/index.js'
import { rankedTruth, truth, WebServer } from '../src/simulate/web/index.js'
import type { CrawlChoices, CrawlFigures, CrawlWeb } from './assignments/index.js'

const LATENCY_MS = 5
/** Each page changes every second. */
const CHANGING = { changePeriodMs: 1_000, changeRate: 1 }
/** Shorter phases than the default, which is meant for the slower real web. */
const PHASES = ['--phases', 'period=1,guard=0.1']

export const crawlAssignments: CrawlWeb = async (plan, choices, tell) => {
  const web = await WebServer.listen(plan, { clock, port: 0, latencyMs: LATENCY_MS, ...CHANGING })
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-assignments-'))
  const ranks = join(folder, 'ranks.tsv')
  writeFileSync(ranks, [...rankedTruth(plan, web.authority)].join('\n'))
  const urls = [...truth(plan, web.authority)]
  const figures: CrawlFigures[] = []
  try {
    for (const [i, choice] of choices.entries()) {
      const previous = i === 0 ? [] : ['--previous', join(folder, '0')]
      const flags = [...flagsOf(choice), ...previous, '--truth', ranks, '--out', join(folder, String(i))]
      const own = figuresOf(await crawl([web.seed, ...flags]))
      tell(
        `${choice.assign}${i === 0 ? ' (to learn from)' : ''}: ${own.pages} pages in ${own.seconds.toFixed(0)} s`,
      )
      figures.push(own)
      if (i > 0) rmSync(join(folder, String(i)), { recursive: true, force: true })
    }
  } finally {
    await web.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return { figures, urlBytes: urls.reduce((sum, url) => sum + url.length, 0) / urls.length }
}

function flagsOf({ assign, agents, lanes }: CrawlChoices): string[] {
  const web = ['--scope', 'any', '--resolve', '*.test=127.0.0.1', '--delay', '0', '--sitemap', 'none']
  const plain = ['--archive', 'none', '--contact', 'https://example.org/experiment', '--json']
  const who = ['--assign', assign, '--agents', String(agents), '--lanes', String(lanes), '--assign-seed', '1']
  return [...web, ...plain, ...who, ...(assign === 'phases' ? PHASES : [])]
}

/** Runs a crawl with the program that runs this experiment. */
async function crawl(args: readonly string[]): Promise<Report> {
  const child = spawn(process.execPath, [process.argv[1], 'crawl', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const texts = [child.stdout, child.stderr].map(stream => {
    const chunks: Buffer[] = []
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    return () => Buffer.concat(chunks).toString('utf8')
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`a crawl ended with code ${code}: ${texts[1]()}`)
  return JSON.parse(texts[0]()) as Report
}

function figuresOf(report: Report): CrawlFigures {
  const { pages, seconds, cpuSeconds, messages, coalescedMessages, communication } = report
  const { workloadStdev, overlap, coverage, quality, routing, agents } = report
  return {
    ...{ pages, seconds, cpuSeconds, messages, coalescedMessages, communication },
    ...{ workloadStdev, overlap, coverage, quality },
    workloads: agents.filter(({ pages }) => pages > 0).map(({ workload }) => workload),
    promised:
      routing === null || 'why' in routing
        ? null
        : { predicted: routing.predicted.coalescedMessages, byHash: routing.byHash.coalescedMessages },
  }
}
