/**
 * Pages per second and CPU time per page of a crawl that asks no server: from a document root and from a
 * WARC, with the default archive and tables, and with neither. One agent in one process. 20,000 pages, or as
 * many as given (`npm run bench -- migrate 5000`). The cost of starting the program, measured by a crawl of
 * one page, is left out.
 */
import { createWriteStream, mkdirSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { gzipSync } from 'node:zlib'
import { runMeasured, type Usage } from './measure/measured-child.js'
import { ORBWEAVER } from './paths.js'
import { markdownTable } from './report/markdown.js'

const PAGES = Number(process.argv[2] ?? 20_000)
const LINKS = 40
const BODY_BYTES = 16_000
const DEADLINE_SECONDS = 900
const ROUNDS = 3
const SITE = 'https://site.test/'
const NEITHER = ['--archive', 'none', '--tables', 'none']
/** Pages per second with the default archive and tables, and with neither. */
const TARGETS = { default: 2_000, neither: 4_000 }

const WORDS =
  'crawler site page link host lease ledger frontier archive table record index query agent lane'.split(' ')

/** 40 links and words up to 16 KB; every page is reached in a few steps. */
function pageOf(number: number): string {
  const links = Array.from({ length: LINKS }, (_, n) => (number * LINKS + n + 1) % PAGES)
  const items = links.map(to => `<li><a href="${nameOf(to)}">${WORDS[to % WORDS.length]} ${to}</a></li>`)
  let text = ''
  for (let seed = number + 1; text.length < BODY_BYTES - 2_500; ) {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0
    text += `${WORDS[(seed >>> 16) % WORDS.length]}${(seed >>> 8) % 97} `
  }
  return `<!doctype html><html lang=en><title>Page ${number}</title><ul>${items.join('')}</ul><p>${text}</p></html>`
}

function nameOf(number: number): string {
  return number === 0 ? '/' : `/${number % 100}/page-${number}.html`
}

async function writeWeb(root: string, warc: string): Promise<void> {
  for (let folder = 0; folder < 100; folder++) mkdirSync(join(root, String(folder)), { recursive: true })
  const archive = createWriteStream(warc)
  for (let number = 0; number < PAGES; number++) {
    const name = nameOf(number)
    const page = pageOf(number)
    writeFileSync(join(root, number === 0 ? 'index.html' : name), page)
    const response = `HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n${page}`
    const record =
      `WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:x:${number}>\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n` +
      `WARC-Target-URI: ${new URL(name, SITE)}\r\nContent-Type: application/http; msgtype=response\r\n` +
      `Content-Length: ${Buffer.byteLength(response)}\r\n\r\n${response}\r\n\r\n`
    if (!archive.write(gzipSync(record)))
      await new Promise(resolve => archive.once('drain', () => resolve(null)))
  }
  await finished(archive.end())
}

/** Exit code of a crawl that ends at --max-pages. */
const LIMIT_REACHED = 10

async function crawl(source: string, flags: readonly string[]): Promise<Usage> {
  const command = ['crawl', SITE, '--source', `${SITE}=${source}`, '--out', 'crawl', ...flags]
  const usage = await runMeasured([process.execPath, ORBWEAVER, ...command], DEADLINE_SECONDS)
  if (usage.exitCode !== 0 && usage.exitCode !== LIMIT_REACHED)
    throw new Error(`exit code ${usage.exitCode}: ${usage.stderr}`)
  return usage
}

interface Cost {
  readonly pagesPerSecond: number
  readonly cpuMicros: number
}

/** The round with the least CPU time: others share the machine. */
async function costOf(source: string, flags: readonly string[]): Promise<Cost> {
  const costs: Cost[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const start = await crawl(source, [...flags, '--max-pages', '1'])
    const whole = await crawl(source, flags)
    costs.push({
      pagesPerSecond: (PAGES - 1) / (whole.wallSeconds - start.wallSeconds),
      cpuMicros: ((whole.cpuSeconds - start.cpuSeconds) / (PAGES - 1)) * 1e6,
    })
  }
  return costs.reduce((best, cost) => (cost.cpuMicros < best.cpuMicros ? cost : best))
}

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'orbweaver-migrate-'))
  try {
    const root = join(folder, 'root')
    const warc = join(folder, 'a.warc.gz')
    await writeWeb(root, warc)
    const rows: string[][] = []
    for (const [name, source] of [
      ['directory', `dir:${root}`],
      ['WARC', `warc:${warc}`],
    ] as const) {
      for (const [kept, flags] of [
        ['default', []],
        ['neither', NEITHER],
      ] as const) {
        const { pagesPerSecond, cpuMicros } = await costOf(source, flags)
        const target = TARGETS[kept]
        const verdict = pagesPerSecond >= target ? 'met' : 'missed'
        rows.push([name, kept, pagesPerSecond.toFixed(0), cpuMicros.toFixed(0), String(target), verdict])
      }
    }
    const head = ['source', 'archive and tables', 'pages/s', 'CPU us per page', 'target pages/s', 'verdict']
    console.log(markdownTable(head, rows))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

await main()
