/**
 * One agent beside two on the same pages, in turn: CPU per page and pages per second. Two threads share the
 * ledger, the bus and the machine; what that costs is the figure (at most 1.2x).
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../src/compose/index.js'
import { WebPlan, WebServer } from '../src/simulate/web/index.js'
import { runMeasured } from './measure/measured-child.js'
import { ORBWEAVER } from './paths.js'
import { markdownTable } from './report/markdown.js'

const ROUNDS = Number(process.argv[2] ?? 3)
const DEADLINE_SECONDS = 300
/** As many as in the main table: what a thread costs once, to start and to compile, is not what is asked. */
const WEB = { sites: 60, pages: 60_000, seed: 1 }
const MOST = 1.2
const FLAGS = [
  '--resolve',
  '*.test=127.0.0.1',
  '--delay',
  '0',
  '--scope',
  'any',
  '--contact',
  'https://example.org/',
]

interface Run {
  readonly agents: number
  readonly pages: number
  readonly cpuMicros: number
  readonly pagesPerSecond: number
}

async function crawl(agents: number, seed: string): Promise<Run> {
  const folder = await mkdtemp(join(tmpdir(), 'orbweaver-agents-'))
  try {
    const out = join(folder, 'crawl')
    const command = [process.execPath, ORBWEAVER, 'crawl', seed, ...FLAGS, '--agents', String(agents)]
    const usage = await runMeasured([...command, '--out', out], DEADLINE_SECONDS)
    if (usage.exitCode !== 0) throw new Error(`exit code ${usage.exitCode}: ${usage.stderr}`)
    const { pages } = JSON.parse(await readFile(join(out, 'report.json'), 'utf8')) as { pages: number }
    return {
      agents,
      pages,
      cpuMicros: (usage.cpuSeconds * 1e6) / pages,
      pagesPerSecond: pages / usage.wallSeconds,
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!
}

async function main(): Promise<void> {
  const plan = new WebPlan(WEB)
  const server = await WebServer.listen(plan, { clock: systemClock, port: 0 })
  const rounds: (readonly [Run, Run])[] = []
  try {
    for (let round = 0; round < ROUNDS; round++)
      rounds.push([await crawl(1, server.seed), await crawl(2, server.seed)])
  } finally {
    await server.close()
  }
  const rows = [0, 1].map(i => {
    const runs = rounds.map(pair => pair[i]!)
    const cpu = median(runs.map(run => run.cpuMicros))
    const speed = median(runs.map(run => run.pagesPerSecond))
    return [String(runs[0]!.agents), runs[0]!.pages.toLocaleString('en'), cpu.toFixed(0), speed.toFixed(0)]
  })
  console.log(markdownTable(['agents', 'pages', 'CPU us a page', 'pages/s'], rows))
  const ratio = median(rounds.map(([one, two]) => two.cpuMicros / one.cpuMicros))
  const verdict = ratio <= MOST ? 'met' : '**missed**'
  const target = `CPU per page with 2 agents: at most ${MOST}x that of one`
  console.log('')
  console.log(
    markdownTable(
      ['target', 'measured', 'verdict'],
      [[target, `${ratio.toFixed(2)}x, median of ${ROUNDS} pairs`, verdict]],
    ),
  )
}

await main()
