import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/compose/index.js'
import { truth, WebPlan, WebServer } from '../../src/simulate/web/index.js'
import { checkWarcs, urlsWith } from '../kit/crawled.js'
import { blank, type CrawlRows, cut, damageOf, filesIn, flip, rowsOf } from '../kit/damage.js'
import { GENERATED, orbweaver, start, temporary } from '../kit/orbweaver.js'

const LOST = 14
const CHILD = fileURLToPath(new URL('../kit/repair-child.ts', import.meta.url))
const plan = new WebPlan({ sites: 4, pages: 150, seed: 29 })
const base = temporary('base')
/** What the server was asked for since it was last emptied: URLs. */
let asked: string[] = []
let server: WebServer
let sound: CrawlRows

/** Columns that a rebuilt row cannot have again. */
const UNKNOWN = ['lane']

async function crawl(directory: string, ...flags: string[]): Promise<void> {
  const { code, stderr } = await orbweaver(['crawl', server.seed, ...GENERATED, ...flags, '--out', directory])
  expect(`${code} ${stderr}`).toMatch(/^0 /)
}

function copyOf(directory: string): string {
  const copy = temporary('copy')
  cpSync(directory, copy, { recursive: true, preserveTimestamps: true })
  return copy
}

interface Repaired {
  readonly code: number | null
  readonly lost: readonly string[]
  readonly gone: readonly string[]
  readonly quarantine: readonly string[]
}

async function repair(directory: string, ...flags: string[]): Promise<Repaired> {
  const { code, stdout, stderr } = await orbweaver(['repair', directory, '--json', ...flags])
  if (stdout === '') throw new Error(stderr)
  return { code, ...(JSON.parse(stdout) as Omit<Repaired, 'code'>) }
}

const warcOf = (directory: string) => filesIn(directory, 'archive', /\.warc\.\w+(\.open)?$/)[0]
const OF = {
  pages: (directory: string) => filesIn(directory, 'tables/pages', /\.parquet$/)[0],
  links: (directory: string) => filesIn(directory, 'tables/links', /\.parquet$/)[0],
  sites: (directory: string) => filesIn(directory, 'tables/sites', /\.parquet$/)[0],
  warc: warcOf,
  cdxj: (directory: string) => filesIn(directory, 'archive', /\.cdxj$/)[0],
} as const

/** The places and URLs of all archived responses. */
function recordsOf(directory: string) {
  return readFileSync(join(directory, OF.cdxj(directory)), 'utf8')
    .trim()
    .split('\n')
    .map(
      line =>
        JSON.parse(line.slice(line.indexOf(' {') + 1)) as { url: string; offset: string; length: string },
    )
    .sort((a, b) => Number(a.offset) - Number(b.offset))
}

/** Damages the record of a page, not one of a request or of what we noted about it. */
function spoilPage(directory: string): void {
  const pages = recordsOf(directory).filter(({ url }) => !/robots\.txt|sitemap/.test(url))
  const { offset, length } = pages[Math.floor(pages.length / 2)]
  blank(directory, warcOf(directory), Number(offset) + Math.floor(Number(length) / 2), 16)
}

/** Without what a page that brought no response cannot have again. */
function comparable({ pages }: CrawlRows): Map<string, unknown> {
  return new Map(
    [...pages].map(([key, { fetch_time, ...row }]) => [
      key,
      row.fetch_status === null ? row : { fetch_time, ...row },
    ]),
  )
}

/** URLs that were asked for, robots.txt apart. */
const askedPages = () => asked.filter(url => !url.endsWith('/robots.txt')).sort()

beforeAll(async () => {
  server = await WebServer.listen(plan, {
    clock: systemClock,
    port: 0,
    onServed: ({ site, target }) => asked.push(`http://${site}${target}`),
  })
  await crawl(base)
  sound = await rowsOf(base, UNKNOWN)
})
afterAll(() => server.close())

async function expectSoundRows(directory: string): Promise<void> {
  expect(await damageOf(directory)).toEqual([])
  const rows = await rowsOf(directory, UNKNOWN)
  expect(rows.twice).toEqual([])
  expect(comparable(rows)).toEqual(comparable(sound))
  expect(rows.links).toEqual(sound.links)
}

describe('orbweaver repair, nothing lost', () => {
  for (const [what, share] of [
    ['pages', 0.1],
    ['pages', 0.6],
    ['links', 0.5],
    ['cdxj', 0.5],
    ['sites', 0.5],
  ] as const) {
    it(`rebuilds ${what} from the archive after a bit flipped at ${share}`, { tags: 'deep' }, async () => {
      const directory = copyOf(base)
      flip(directory, OF[what](directory), share)
      expect(await damageOf(directory)).toHaveLength(1)
      const { code, lost, gone, quarantine } = await repair(directory)
      expect({ code, lost, gone }).toEqual({ code: 0, lost: [], gone: [] })
      expect(existsSync(join(directory, quarantine[0], OF[what](base)))).toBe(true)
      // What a new file has taken the place of is nowhere else.
      if (what === 'pages' || what === 'links')
        expect(filesIn(directory, `tables/${what}`, /./)).toEqual([
          expect.stringMatching(/\/repaired-s\d+\.parquet$/),
        ])
      await expectSoundRows(directory)
    })
  }

  it('rebuilds files that are gone: pages, links, index, manifest, report, what was learned', async () => {
    const directory = copyOf(base)
    for (const file of [OF.pages(base), OF.links(base), OF.cdxj(base), 'tables/manifest.json', 'report.json'])
      rmSync(join(directory, file))
    rmSync(join(directory, 'learned'), { recursive: true })
    const { code, lost } = await repair(directory)
    expect({ code, lost }).toEqual({ code: 0, lost: [] })
    await expectSoundRows(directory)
  })

  for (const file of ['tables/manifest.json', 'report.json', 'crawl.json', 'ledger.db', 'ledger.db.sums']) {
    it(`restores ${file} after a flipped bit`, {
      tags: file.startsWith('ledger.db') ? [] : ['deep'],
    }, async () => {
      const directory = copyOf(base)
      flip(directory, file, 0.3)
      expect(await damageOf(directory)).not.toEqual([])
      expect((await repair(directory)).code).toBe(0)
      await expectSoundRows(directory)
      if (file === 'ledger.db')
        expect(readFileSync(join(directory, file))).toEqual(readFileSync(join(base, file)))
    })
  }

  it('takes a lost or damaged generations.json from the ledger', { tags: 'deep' }, async () => {
    for (const spoil of [
      (directory: string) => flip(directory, 'generations.json', 0.5),
      (directory: string) => rmSync(join(directory, 'generations.json')),
    ]) {
      const directory = copyOf(base)
      spoil(directory)
      expect(await damageOf(directory)).toEqual([expect.stringMatching(/^generations.json is /)])
      expect((await orbweaver(['resume', directory])).code).toBe(8)
      expect((await repair(directory)).code).toBe(0)
      await expectSoundRows(directory)
      expect((await orbweaver(['resume', directory])).code).toBe(0)
    }
  })

  it('learns again what was learned', { tags: 'deep' }, async () => {
    const directory = copyOf(base)
    for (const file of filesIn(directory, 'learned', /./)) flip(directory, file, 0.5)
    expect((await repair(directory)).code).toBe(0)
    await expectSoundRows(directory)
  })

  it('with --dry-run says what it would do and changes nothing', async () => {
    const directory = copyOf(base)
    flip(directory, OF.pages(directory), 0.5)
    spoilPage(directory)
    const before = contentOf(directory)
    const { code, lost } = await repair(directory, '--dry-run')
    expect(code).toBe(LOST)
    expect(lost).toHaveLength(1)
    expect(contentOf(directory)).toEqual(before)
  })

  it('is done when there is nothing to do, and twice is once', async () => {
    const directory = copyOf(base)
    const before = contentOf(directory)
    expect((await repair(directory)).code).toBe(0)
    expect(contentOf(directory)).toEqual(before)
  })
})

/** Of every file but the empty lock. */
function contentOf(directory: string): Map<string, string> {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter(entry =>
    entry.isFile(),
  )
  return new Map(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name)
      return [path, `${statSync(path).size} ${readFileSync(path).toString('base64').slice(-2_000)}`]
    }),
  )
}

it('orbweaver repair knows how often a page was asked for before it came', async () => {
  const small = new WebPlan({ sites: 2, pages: 20, seed: 5 })
  const failing = await WebServer.listen(small, { clock: systemClock, port: 0, failRate: 0.3 })
  const directory = temporary('retried')
  expect((await orbweaver(['crawl', failing.seed, ...GENERATED, '--out', directory])).code).toBe(0)
  await failing.close()
  const before = await rowsOf(directory, UNKNOWN)
  const attempts = ({ pages }: CrawlRows) =>
    [...pages].map(([key, { attempt }]) => `${key} ${attempt}`).sort()
  expect(attempts(before).filter(line => line.endsWith(' OK 2'))).not.toEqual([])
  rmSync(join(directory, OF.pages(directory)))
  expect((await repair(directory)).code).toBe(0)
  expect(attempts(await rowsOf(directory, UNKNOWN))).toEqual(attempts(before))
})

describe('orbweaver repair, records lost', () => {
  async function expectResumed(directory: string, lost: readonly string[]): Promise<void> {
    asked = []
    expect((await orbweaver(['resume', directory])).code).toBe(0)
    expect(askedPages()).toEqual([...lost].sort())
    expect(await damageOf(directory)).toEqual([])
    const rows = await rowsOf(directory, UNKNOWN)
    expect(rows.twice).toEqual([])
    expect(rows.links).toEqual(sound.links)
    const anew = [
      'fetch_time',
      'fetch_ms',
      'warc_filename',
      'warc_record_offset',
      'warc_record_length',
      'agent',
    ]
    const bare = ({ pages }: CrawlRows) =>
      new Map(
        [...pages].map(([key, row]) => [key, { ...row, ...Object.fromEntries(anew.map(name => [name, 0])) }]),
      )
    expect(bare(rows)).toEqual(bare(sound))
    const check = await checkWarcs(directory)
    expect(check.problems).toEqual([])
    expect([...check.pages].sort()).toEqual([...truth(plan, server.authority)].sort())
    const report = JSON.parse(readFileSync(join(directory, 'report.json'), 'utf8'))
    const first = JSON.parse(readFileSync(join(base, 'report.json'), 'utf8'))
    expect([report.pages, report.uniquePages, report.queued]).toEqual([first.pages, first.uniquePages, 0])
  }

  it('names the pages of damaged records, and resume fetches exactly those', async () => {
    const directory = copyOf(base)
    const records = recordsOf(directory)
    const hit = [records[20], records[21], records[90]]
    for (const { offset, length } of hit)
      blank(directory, warcOf(directory), Number(offset) + 40, Number(length) - 80)
    const { code, lost } = await repair(directory)
    expect(code).toBe(LOST)
    expect([...lost].sort()).toEqual(hit.map(({ url }) => url).sort())
    expect(await damageOf(directory)).toEqual([])
    const rows = await rowsOf(directory, UNKNOWN)
    const left = [...sound.pages].filter(([, { url }]) => !lost.includes(String(url)))
    expect(new Map([...rows.pages])).toEqual(new Map(left))
    await expectResumed(directory, lost)
  })

  it('keeps what stands before a cut', { tags: 'deep' }, async () => {
    const directory = copyOf(base)
    cut(directory, warcOf(directory), 0.5)
    const { code, lost } = await repair(directory)
    expect(code).toBe(LOST)
    expect(lost.length).toBeGreaterThan(30)
    expect(lost.length).toBeLessThan(120)
    await expectResumed(directory, lost)
  })

  it('fetches everything again when the archive is gone', { tags: 'deep' }, async () => {
    const directory = copyOf(base)
    rmSync(join(directory, warcOf(directory)))
    const { code, lost } = await repair(directory)
    expect(code).toBe(LOST)
    expect(lost.length).toBeGreaterThan(150)
    await expectResumed(directory, lost)
  })

  it('repairs archive, index, pages and links that were all damaged', { tags: 'deep' }, async () => {
    const directory = copyOf(base)
    const [record] = recordsOf(directory).slice(40, 41)
    blank(directory, warcOf(directory), Number(record.offset) + 30, 100)
    flip(directory, OF.cdxj(directory), 0.7)
    flip(directory, OF.pages(directory), 0.2)
    flip(directory, OF.links(directory), 0.2)
    flip(directory, 'tables/manifest.json', 0.2)
    const { lost } = await repair(directory)
    expect(lost.length).toBeGreaterThan(0)
    expect(lost).toContain(record.url)
    await expectResumed(directory, lost)
  })

  for (const step of ['keep', 'reopen', 'place', 'list', 'remove', 'describe'] as const) {
    it(`is done again after kill -9 before the step "${step}"`, {
      tags: step === 'place' ? [] : ['deep'],
    }, async () => {
      const directory = copyOf(base)
      const [record] = recordsOf(directory).slice(60, 61)
      blank(directory, warcOf(directory), Number(record.offset) + 30, 100)
      flip(directory, OF.pages(directory), 0.4)
      flip(directory, OF.links(directory), 0.4)
      const child = spawnSync(process.execPath, ['--import', 'tsx', CHILD, directory, step])
      expect(child.signal).toBe('SIGKILL')
      const again = await repair(directory)
      expect([0, LOST]).toContain(again.code)
      expect(await damageOf(directory)).toEqual([])
      await expectResumed(directory, [record.url])
    })
  }

  it('without an archive fetches the rows of a damaged table again', { tags: 'deep' }, async () => {
    const directory = temporary('bare')
    await crawl(directory, '--archive', 'none')
    flip(directory, OF.pages(directory), 0.5)
    const { code, lost } = await repair(directory)
    expect(code).toBe(LOST)
    expect(await damageOf(directory)).toEqual([])
    asked = []
    expect((await orbweaver(['resume', directory])).code).toBe(0)
    expect(askedPages()).toEqual([...lost].sort())
    expect((await urlsWith(directory, 'OK')).sort()).toEqual([...truth(plan, server.authority)].sort())
  })

  it('drops the links of a lost page when the row that named its record is gone too', async () => {
    const directory = copyOf(base)
    const from = (link: string) => (JSON.parse(link) as { url: string }).url
    const linking = new Set(sound.links.map(from))
    const record = recordsOf(directory).find(({ url }) => linking.has(url))!
    blank(directory, warcOf(directory), Number(record.offset) + 40, Number(record.length) - 80)
    rmSync(join(directory, OF.pages(directory)))
    const { code, lost } = await repair(directory)
    expect([code, lost]).toEqual([LOST, [record.url]])
    const { links } = await rowsOf(directory, UNKNOWN)
    expect(links).toEqual(sound.links.filter(link => from(link) !== record.url))
    await expectResumed(directory, lost)
  })

  it('without tables fetches again exactly what was lost', async () => {
    const directory = temporary('no-tables')
    await crawl(directory, '--tables', 'none')
    const [record] = recordsOf(directory)
      .filter(({ url }) => !url.endsWith('/robots.txt'))
      .slice(30)
    blank(directory, warcOf(directory), Number(record.offset) + 40, Number(record.length) - 80)
    const { code, lost } = await repair(directory)
    expect([code, lost]).toEqual([LOST, [record.url]])
    asked = []
    expect((await orbweaver(['resume', directory])).code).toBe(0)
    expect(askedPages()).toEqual([record.url])
    expect(await damageOf(directory)).toEqual([])
  })

  it('repairs zstd archives', { tags: 'deep' }, async () => {
    const directory = temporary('zstd')
    await crawl(directory, '--archive', 'zstd')
    spoilPage(directory)
    const { code, lost } = await repair(directory)
    expect(code).toBe(LOST)
    expect(lost).toHaveLength(1)
    expect(await damageOf(directory)).toEqual([])
    asked = []
    expect((await orbweaver(['resume', directory])).code).toBe(0)
    expect(askedPages()).toEqual(lost)
    expect((await checkWarcs(directory)).problems).toEqual([])
  })

  it('leaves a crawl whose ledger is beyond repair readable, and says so', { tags: 'deep' }, async () => {
    const directory = copyOf(base)
    blank(directory, 'ledger.db', 4_096, 20_000)
    const { code, gone } = await repair(directory)
    expect(code).toBe(LOST)
    expect(gone.join()).toMatch(/cannot be resumed.*--previous/)
    expect((await rowsOf(directory, UNKNOWN)).pages).toEqual(sound.pages)
    expect((await orbweaver(['export', directory, '--to', 'jsonl', '--out', temporary('out')])).code).toBe(0)
  })
})

describe('orbweaver repair of a crawl that was killed', { tags: 'deep' }, () => {
  it('rebuilds the damaged part of a row log; resume brings the rest; refuses while it runs', async () => {
    const large = new WebPlan({ sites: 4, pages: 240, seed: 29 })
    const knobs = { clock: systemClock, port: 0, latencyMs: 250 }
    const slow = await WebServer.listen(large, knobs)
    const directory = temporary('killed')
    const command = start(['crawl', slow.seed, ...GENERATED, '--out', directory])
    while (slow.counts().requests < 40) await new Promise(resolve => setTimeout(resolve, 5))
    const checkpoint = await orbweaver(['checkpoint', directory])
    expect(checkpoint.stderr).toMatch(/checkpoint done/)
    const { code, stderr } = await orbweaver(['repair', directory])
    expect(code).toBe(6)
    expect(stderr).toMatch(/in use/)
    command.process.kill('SIGKILL')
    await command.ended
    const before = await rowsOf(directory, UNKNOWN)
    const [log] = filesIn(directory, 'tables/pages', /\.rows/)
    flip(directory, log, 0.3)
    expect((await orbweaver(['query', directory, 'SELECT 1'])).code).toBe(8)
    expect((await repair(directory)).code).toBe(0)
    const after = await rowsOf(directory, UNKNOWN)
    expect(comparable(after)).toEqual(comparable(before))
    expect(after.links).toEqual(before.links)
    knobs.latencyMs = 0
    expect((await orbweaver(['resume', directory])).code).toBe(0)
    expect((await urlsWith(directory, 'OK')).sort()).toEqual([...truth(large, slow.authority)].sort())
    expect(await damageOf(directory)).toEqual([])
    await slow.close()
  })
})
