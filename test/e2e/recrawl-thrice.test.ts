/**
 * A site that changes, crawled and crawled again three times, each crawl from the one before. What a recrawl
 * exports and reports is compared with a fresh crawl of the same state, page by page.
 *
 * @module-tag deep
 */
import { readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { dirname, join, relative } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EXIT } from '../../src/cli/exit/index.js'
import { EXAMPLES } from '../../src/data/query/index.js'
import { query } from '../../src/index.js'
import { NamedHosts } from '../kit/named-hosts.js'
import { type Ended, orbweaver, temporary } from '../kit/orbweaver.js'

const STATES = 4
const HOST = 'shifts.test'
const DATE = 'Sat, 15 Nov 2025 20:00:00 GMT'
const urlOf = (name: string) => `http://${HOST}/${name}`

/** Headings, a list and a table: what plain text does not have. */
const article = (name: string, edition = 0): string =>
  `<!DOCTYPE html><title>${name} ${edition}</title><main><h1>${name}</h1><p>Edition ${edition} of <em>${name}</em>, ` +
  `<a href="/">all of them</a>.</p><ul><li>one</li><li>two</li></ul><pre>let x = ${edition}</pre></main>`

interface Said {
  readonly status?: number
  readonly type?: string
  readonly body?: string
  readonly etag?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** What a page is in a state of the site; null is a 404, undefined that nothing links to it yet. */
type Page = (state: number) => Said | null | undefined

const stays =
  (name: string): Page =>
  () => ({ body: article(name), etag: `"${name}"` })
const from =
  (first: number, then: Said | null, before: Page): Page =>
  state =>
    state < first ? before(state) : then
const edited =
  (name: string, edition: (state: number) => number): Page =>
  state => ({ body: article(name, edition(state)), etag: `"${name}-${edition(state)}"` })

const PAGES: Readonly<Record<string, Page>> = {
  ...Object.fromEntries(['one', 'two', 'three', 'deep/', 'deep/er'].map(name => [name, stays(name)])),
  dated: () => ({ body: article('dated'), headers: { 'last-modified': DATE } }),
  // Comes whole each time; only its digest tells that it is the same.
  bare: () => ({ body: article('bare') }),
  'notes.txt': () => ({ type: 'text/plain', body: 'plain *notes*\n', etag: '"notes"' }),
  'paper.pdf': () => ({ type: 'application/pdf', body: '%PDF-1.4 paper', etag: '"paper"' }),
  daily: edited('daily', state => state),
  once: edited('once', state => (state < 2 ? 0 : 2)),
  back: edited('back', state => (state === 1 ? 1 : 0)),
  late: state => (state < 2 ? undefined : { body: article('late'), etag: '"late"' }),
  'gone-404': from(2, null, stays('gone-404')),
  'gone-410': from(2, { status: 410, body: 'gone' }, stays('gone-410')),
  returns: state => (state === 1 ? null : { body: article('returns'), etag: '"returns"' }),
  moved: from(1, { status: 301, headers: { location: '/one' } }, stays('moved')),
  broken: from(3, { status: 500, body: 'broken' }, stays('broken')),
}

let state = 0
let web: NamedHosts
/** Of each state: the crawl that goes on from the one before, and one that begins anew. */
const crawls: { readonly again: Crawl; readonly fresh: Crawl }[] = []

interface Crawl {
  readonly directory: string
  readonly ended: Ended
}

function answer(request: IncomingMessage, response: ServerResponse, path: string): boolean {
  if (path === '/') {
    const names = Object.keys(PAGES).filter(name => PAGES[name](state) !== undefined)
    const links = names.map(name => `<a href="/${name}">${name}</a>`).join(' ')
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<title>home</title><p>${links}</p>`)
    return true
  }
  if (path === '/robots.txt') return false
  const said = PAGES[path.slice(1)]?.(state) ?? { status: 404, body: 'not found' }
  const { status = 200, type = 'text/html', body = '', etag, headers = {} } = said
  const validators = { ...headers, ...(etag === undefined ? {} : { etag }) }
  const isKnown =
    (etag !== undefined && request.headers['if-none-match'] === etag) ||
    (headers['last-modified'] !== undefined && request.headers['if-modified-since'] === DATE)
  if (isKnown) response.writeHead(304, validators).end()
  else response.writeHead(status, { 'content-type': type, ...validators }).end(body)
  return true
}

async function crawl(directory: string, ...more: readonly string[]): Promise<Crawl> {
  const flags = [...web.flags, '--delay', '0', '--tries', '1', '--types', 'text/', '--out', directory]
  const ended = await orbweaver(['crawl', `http://${HOST}/`, ...flags, ...more])
  expect(ended.code, ended.stderr).toBe(EXIT.done)
  return { directory, ended }
}

beforeAll(async () => {
  web = await NamedHosts.start()
  web.set(HOST, answer)
  const folder = dirname(temporary('crawls'))
  for (state = 0; state < STATES; state++) {
    const before = crawls.at(-1)?.again.directory
    const previous = before === undefined ? [] : ['--previous', before]
    crawls.push({
      again: await crawl(join(folder, `again-${state}`), ...previous),
      fresh: await crawl(join(folder, `fresh-${state}`)),
    })
  }
})
afterAll(() => web.close())

async function rows(directory: string, sql: string): Promise<Record<string, unknown>[]> {
  const found: Record<string, unknown>[] = []
  for await (const row of query(directory, sql)) found.push({ ...row })
  return found
}

/** Files of an export by their path; when a page was asked for is no difference. */
async function exported(
  directory: string,
  kind: 'markdown' | 'files',
  ...more: readonly string[]
): Promise<{ readonly files: Readonly<Record<string, string>>; readonly said: string }> {
  const out = temporary(kind)
  const { code, stderr } = await orbweaver(['export', directory, '--to', kind, '--out', out, ...more])
  expect(code, stderr).toBe(EXIT.done)
  const files = readdirSync(out, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .map(path => [relative(out, path), readFileSync(path, 'utf8').replace(/^fetched: .*$/m, '')])
  return { files: Object.fromEntries(files), said: stderr }
}

const OUTCOMES = `SELECT url, CASE outcome WHEN 'NOT_MODIFIED' THEN 'OK' ELSE outcome END AS outcome, content_digest
  FROM pages ORDER BY url`

describe.each([1, 2, 3])('recrawl %i of a site that changes', number => {
  it('finds what a fresh crawl finds: a PDF that is not wanted stays that', async () => {
    const { again, fresh } = crawls[number]
    const known = (await rows(again.directory, OUTCOMES)).filter(row => row.outcome === 'OK')
    const found = (await rows(fresh.directory, OUTCOMES)).filter(row => row.outcome === 'OK')
    expect(known).toEqual(found)
    const pdf = `SELECT outcome, fetch_status FROM pages WHERE url = '${urlOf('paper.pdf')}'`
    expect(await rows(again.directory, pdf)).toEqual([{ outcome: 'TYPE_NOT_WANTED', fetch_status: 200 }])
  })

  it.each(['markdown', 'files'] as const)('exports as %s what a fresh crawl exports', async kind => {
    const { again, fresh } = crawls[number]
    const [now, expected] = [await exported(again.directory, kind), await exported(fresh.directory, kind)]
    expect(now.files).toEqual(expected.files)
    expect(now.said).toMatch(/^Took \d+ pages that did not change from earlier crawls$/m)
    expect(now.said).not.toMatch(/plain text|Left out/)
  })

  it('says how many pages are new, changed, unchanged and gone', async () => {
    const at = (name: string, when: number) => PAGES[name](when)
    const isPage = (said: Said | null | undefined) =>
      Boolean(said) && (said?.status ?? 200) === 200 && said?.type !== 'application/pdf'
    const counts = { new: 0, changed: 0, unchanged: 0, gone: 0, noPage: 0 }
    // The home page changes with its links.
    counts[number === 2 ? 'changed' : 'unchanged']++
    for (const name of Object.keys(PAGES)) {
      const [was, is] = [at(name, number - 1), at(name, number)]
      if (isPage(was) && isPage(is)) counts[was?.body === is?.body ? 'unchanged' : 'changed']++
      else if (isPage(is)) counts.new++
      else if (isPage(was)) counts[is === null || is?.status === 410 ? 'gone' : 'noPage']++
    }
    const { directory, ended } = crawls[number].again
    const previous = crawls[number - 1].again.directory
    const report = JSON.parse(readFileSync(join(directory, 'report.json'), 'utf8'))
    expect(report.recrawl).toEqual({ previous, ...counts })
    expect(counts.new + counts.changed + counts.unchanged).toBe(report.uniquePages)
    expect(ended.stderr).toContain(
      `Since ${previous}: ${counts.new} new, ${counts.changed} changed, ${counts.unchanged} unchanged, ${counts.gone} gone`,
    )
  })

  it('suggests queries that show pages whether they changed or not', async () => {
    const { directory, ended } = crawls[number].again
    const { uniquePages } = JSON.parse(readFileSync(join(directory, 'report.json'), 'utf8'))
    const asked = /^Ask it: orbweaver query \S+ "([^"]+)"$/m.exec(ended.stderr)?.[1] ?? ''
    for (const sql of [asked, ...EXAMPLES.filter(example => /FROM pages WHERE/.test(example))])
      expect(await rows(directory, sql.replace(/ LIMIT \d+$/, '')), sql).toHaveLength(uniquePages)
  })
})

describe('an export whose earlier crawls', () => {
  const last = () => crawls[STATES - 1].again.directory
  const elsewhere = () => join(dirname(temporary('moved')), 'under-another-name')

  it('have another name now says so, counts what is missing, and takes the name', async () => {
    const whole = await exported(last(), 'markdown')
    const before = crawls[STATES - 2].again.directory
    const moved = elsewhere()
    renameSync(before, moved)
    try {
      const missing = await exported(last(), 'markdown')
      expect(missing.said).toMatch(
        new RegExp(
          `^Wrote plain text for \\d+ pages that did not change: the crawl ${before} is not there; say`,
          'm',
        ),
      )
      // Of a file of plain text the tables have nothing.
      expect(missing.said).toContain('Left out 1 page that did not change: ')
      expect(Object.keys(missing.files)).toHaveLength(Object.keys(whole.files).length - 1)
      const files = await exported(last(), 'files')
      expect(files.said).toMatch(/^Left out \d+ pages that did not change: the crawl .* is not there/m)
      expect((await exported(last(), 'markdown', '--previous', moved)).files).toEqual(whole.files)
    } finally {
      renameSync(moved, before)
    }
  })

  it('were moved together with it are found beside it', async () => {
    const whole = await exported(last(), 'markdown')
    const folder = dirname(last())
    const moved = dirname(temporary('moved'))
    const names = readdirSync(folder).filter(name => name.startsWith('again-'))
    for (const name of names) renameSync(join(folder, name), join(moved, name))
    try {
      const found = await exported(join(moved, `again-${STATES - 1}`), 'markdown')
      expect(found.files).toEqual(whole.files)
      expect(found.said).toMatch(/^Took \d+ pages that did not change from earlier crawls$/m)
    } finally {
      for (const name of names) renameSync(join(moved, name), join(folder, name))
    }
  })

  it('are named by a crawl from elsewhere are not read unless the user names them', async () => {
    const stranger = { ORBWEAVER_STATE: temporary('state') }
    const out = temporary('markdown')
    const args = ['export', last(), '--to', 'markdown', '--out', out]
    const { code, stderr } = await orbweaver(args, stranger)
    expect(code, stderr).toBe(EXIT.done)
    expect(stderr).toMatch(/^Wrote plain text for \d+ pages .* was not made by you on this machine/m)
    rmSync(out, { recursive: true })
    const named = await orbweaver([...args, '--previous', crawls[STATES - 2].again.directory], stranger)
    expect(named.stderr).toMatch(/^Took \d+ pages that did not change from earlier crawls$/m)
  })
})

it('a type that is no longer wanted is not wanted either where the page has not changed', async () => {
  state = 0
  const folder = dirname(temporary('types'))
  const wide = await crawl(join(folder, 'wide'), '--types', 'text/,application/pdf')
  const pdf = `SELECT outcome FROM pages WHERE url = '${urlOf('paper.pdf')}'`
  expect(await rows(wide.directory, pdf)).toEqual([{ outcome: 'OK' }])
  const narrow = await crawl(join(folder, 'narrow'), '--previous', wide.directory)
  expect(await rows(narrow.directory, pdf)).toEqual([{ outcome: 'TYPE_NOT_WANTED' }])
})
