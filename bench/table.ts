/**
 * The crawlers side by side: the same pages, no delays, coverage by the server's log, CPU per covered page
 * first. Prints Markdown on stdout and progress on stderr. `npm run bench -- table 1 wget2` takes one round
 * and, besides ours, only the crawlers so named.
 */
import { type Corpus, pagesOf, smaller } from './corpus/corpus.js'
import { docsCorpus, missingDocs } from './corpus/docs.js'
import { generatedCorpus, writeGenerated } from './corpus/generated.js'
import { type Figures, interleaved } from './measure/rounds.js'
import { BARE, CRAWLERS, type Crawler, FULL } from './peers/crawlers.js'
import { figureTable, markdownTable } from './report/markdown.js'
import { targetRows } from './report/targets.js'
import { NginxServer } from './server/nginx.js'
import { OrbweaverWeb } from './server/orbweaver-web.js'
import type { PageServer } from './server/page-server.js'

const args = process.argv.slice(2)
/**
 * Five, because one crawl in three meets a noisy minute here; real HTML takes longer and has three at most.
 */
const ROUNDS = Number(args.find(arg => /^\d+$/.test(arg)) ?? 5)
const ROUNDS_ON_REAL_HTML = Math.min(ROUNDS, 3)
const NAMED = args.filter(arg => !/^\d+$/.test(arg))
/** For the slow ones: half a minute each. */
const FEWER_PAGES = 3_000
const TARGET_HEAD = ['work', 'target', 'measured', 'round by round', 'verdict']
const ON_REAL_HTML = [BARE, FULL, 'wget2', 'spider-rs']

async function main(): Promise<void> {
  const present = CRAWLERS.filter(crawler => isWanted(crawler.name) && crawler.version() !== undefined)
  const generated = generatedCorpus()
  const real = NginxServer.installed() === undefined ? { name: 'real HTML', hosts: [] } : await docsCorpus()
  const server = await startServer(generated, real)
  try {
    const measured = new Map<string, Figures[]>()
    measured.set('generated', await onGenerated(server, generated, present))
    if (real.hosts.length > 0) {
      const chosen = present.filter(crawler => ON_REAL_HTML.includes(crawler.name))
      measured.set('real HTML', await interleaved(server, real, chosen, ROUNDS_ON_REAL_HTML))
    }
    console.log(`${[`Pages served by ${server.kind}.`, ...missing()].join(' ')}\n`)
    console.log(`${markdownTable(TARGET_HEAD, targetRows(measured))}\n`)
    for (const corpus of [generated, real]) {
      const figures = measured.get(corpus.name)
      if (figures) console.log(`### ${corpus.name}\n\n${describe(corpus)}\n\n${figureTable(figures, BARE)}\n`)
    }
  } finally {
    await server.stop()
  }
}

async function onGenerated(
  server: PageServer,
  corpus: Corpus,
  crawlers: readonly Crawler[],
): Promise<Figures[]> {
  const quick = crawlers.filter(crawler => !crawler.isSlow)
  const slow = crawlers.filter(crawler => crawler.isSlow)
  return [
    ...(await interleaved(server, corpus, quick, ROUNDS)),
    ...(await interleaved(server, smaller(corpus, FEWER_PAGES), slow, 1)),
  ]
}

async function startServer(generated: Corpus, real: Corpus): Promise<PageServer> {
  if (NginxServer.installed() === undefined) return OrbweaverWeb.start()
  await writeGenerated(generated)
  return NginxServer.start([generated, real])
}

function missing(): string[] {
  const names = CRAWLERS.filter(crawler => crawler.version() === undefined).map(crawler => crawler.name)
  if (NginxServer.installed() === undefined) names.push('nginx and with it the real HTML')
  else names.push(...missingDocs())
  return names.length === 0
    ? []
    : [`Not installed here: ${names.join(', ')} (\`npm run bench -- --install\`).`]
}

function isWanted(name: string): boolean {
  return NAMED.length === 0 || name === BARE || name === FULL || NAMED.includes(name)
}

function describe(corpus: Corpus): string {
  const size = `${pagesOf(corpus).toLocaleString('en')} pages on ${corpus.hosts.length} sites`
  if (corpus.name !== 'generated')
    return `HTML of Debian's documentation packages, ${size}. Medians of ${ROUNDS_ON_REAL_HTML} rounds.`
  const fewer = `wget had one round; the slow crawlers had one, on the smallest sites (${FEWER_PAGES.toLocaleString('en')} pages at most)`
  return `The pages of \`orbweaver web\`, ${size}. Medians of ${ROUNDS} rounds; ${fewer}.`
}

await main()
