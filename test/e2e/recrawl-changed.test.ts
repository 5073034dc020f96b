/**
 * A site whose answers to conditional requests mislead in every way we know, crawled, changed and crawled
 * again.
 *
 * @module-tag deep
 */
import { createReadStream, readdirSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { WARCParser } from 'warcio'
import { query } from '../../src/index.js'
import { checkWarcs } from '../kit/crawled.js'
import { NamedHosts } from '../kit/named-hosts.js'
import { orbweaver, temporary } from '../kit/orbweaver.js'

const DATE = 'Sat, 15 Nov 2025 20:00:00 GMT'
const LATER = 'Sun, 16 Nov 2025 20:00:00 GMT'
const BODY_BYTES = 20_000

interface Said {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
  /** The connection ends before the body does. */
  readonly breaksOff?: boolean
}

/** What a page says in one state of the site: 0 before the change, 1 after it. */
type Page = (state: number, isConditional: boolean) => Said

const html = (name: string, state: number): string =>
  `<!DOCTYPE html><html lang="${state === 0 ? 'en' : 'de'}"><title>${name} ${state}</title><p>text ${state} of ${name}</p>` +
  `<a href="http://away${state}.example/${name}">away</a><iframe src="http://frame${state}.example/"></iframe>` +
  `<a rel="nofollow" href="http://ad${state}.example/">ad</a>`
const always = (name: string, headers: Record<string, string>): Said => ({ headers, body: html(name, 0) })
/**
 * State 0 is `before`; in state 1 a conditional request is told that nothing changed, any other gets a new
 * page.
 */
const deniesChange =
  (name: string, before: Said, notModified: Record<string, string> = { etag: '"e"' }): Page =>
  (state, isConditional) => {
    if (state === 0) return before
    if (isConditional) return { status: 304, headers: notModified }
    return { headers: notModified, body: html(name, 1) }
  }
const etag = { etag: '"e"' }
const latin = Buffer.from('<!DOCTYPE html><title>caf\xc3\xa9</title><p>caf\xc3\xa9', 'latin1')

/**
 * Pages that a recrawl must read as a whole because they changed, or because nothing whole is known of them.
 */
const CHANGED: Readonly<Record<string, Page>> = {
  'same-etag': state => ({ headers: etag, body: html('same-etag', state) }),
  'same-date': state => ({ headers: { 'last-modified': DATE }, body: html('same-date', state) }),
  'same-both': state => ({ headers: { ...etag, 'last-modified': DATE }, body: html('same-both', state) }),
  'weak-etag': state => ({
    headers: { etag: state === 0 ? '"e"' : 'W/"e"' },
    body: html('weak-etag', state),
  }),
  'other-coding': state => ({
    headers: state === 0 ? etag : { ...etag, 'content-encoding': 'gzip' },
    body: state === 0 ? html('other-coding', 0) : gzipSync(html('other-coding', 0)),
  }),
  'other-etag-304': deniesChange('other-etag-304', always('other-etag-304', etag), { etag: '"f"' }),
  'later-date-304': deniesChange('later-date-304', always('later-date-304', { 'last-modified': DATE }), {
    'last-modified': LATER,
  }),
  error: deniesChange('error', { status: 404, headers: etag, body: 'gone' }),
  redirect: deniesChange('redirect', { status: 302, headers: { ...etag, location: '/' } }),
  type: deniesChange('type', { headers: { ...etag, 'content-type': 'video/mp4' }, body: 'film' }),
  partial: deniesChange('partial', { ...always('partial', etag), status: 206 }),
  'by-proxy': deniesChange('by-proxy', { ...always('by-proxy', etag), status: 203 }),
  'broken-off': deniesChange('broken-off', { ...always('broken-off', etag), breaksOff: true }),
  long: deniesChange('long', { headers: etag, body: html('long', 0) + 'x'.repeat(BODY_BYTES) }),
}
/** Pages with the payload of last time, sent again. */
const IDENTICAL: Readonly<Record<string, Page>> = {
  'ignores-question': () => always('ignores-question', etag),
  'no-validator': () => always('no-validator', {}),
  'other-etag': state => always('other-etag', { etag: `"${state}"` }),
  'other-charset': state => ({
    headers: { ...etag, 'content-type': `text/html; charset=${state === 0 ? 'iso-8859-1' : 'utf-8'}` },
    body: latin,
  }),
}
const HONEST: Readonly<Record<string, Page>> = {
  honest: (_state, isConditional) =>
    isConditional ? { status: 304, headers: etag } : always('honest', { ...etag, 'last-modified': DATE }),
}
const REFUSED: Readonly<Record<string, Page>> = {
  'unasked-304': state => (state === 0 ? always('unasked-304', {}) : { status: 304 }),
}
/** Truncated, or not to be archived: there is no stored copy that a record could refer to. */
const NOT_KEPT: Readonly<Record<string, Page>> = {
  'long-same': () => ({ headers: etag, body: html('long-same', 0) + 'x'.repeat(BODY_BYTES) }),
  noarchive: (_state, isConditional) =>
    isConditional
      ? { status: 304, headers: etag }
      : { headers: { ...etag, 'x-robots-tag': 'noarchive' }, body: html('noarchive', 0) },
}
/** Leads to what a crawl may leave aside. */
const WAYS: Readonly<Record<string, Page>> = {
  ways: (_state, isConditional) =>
    isConditional
      ? { status: 304, headers: etag }
      : {
          headers: etag,
          body: '<a href="/way-in"></a><img src="/way-image"><a href="http://more.test/deep"></a>',
        },
  'way-in': () => always('way-in', {}),
  'way-image': () => always('way-image', {}),
}
const PAGES = { ...CHANGED, ...IDENTICAL, ...HONEST, ...REFUSED, ...NOT_KEPT, ...WAYS }
const HOST = 'lies.test'
const urlOf = (name: string) => `http://${HOST}/${name}`

let state = 0
let web: NamedHosts
beforeAll(async () => {
  web = await NamedHosts.start()
  web.set(HOST, answer)
})
afterAll(() => web.close())

function answer(request: IncomingMessage, response: ServerResponse, path: string): boolean {
  const page = PAGES[path.slice(1)]
  if (path === '/') {
    const links = Object.keys(PAGES)
      .filter(name => !name.startsWith('way-'))
      .map(name => `<a href="/${name}">${name}</a>`)
    response.writeHead(200, { 'content-type': 'text/html' }).end(links.join(''))
  } else if (page) {
    const { headers } = request
    const asked = headers['if-none-match'] !== undefined || headers['if-modified-since'] !== undefined
    say(response, page(state, asked))
  }
  return path === '/' || page !== undefined
}

function say(response: ServerResponse, { status = 200, headers, body = '', breaksOff = false }: Said): void {
  const type = status === 304 ? {} : { 'content-type': 'text/html' }
  const length = breaksOff ? { 'content-length': String(body.length + 10) } : {}
  response.writeHead(status, { ...type, ...length, ...headers })
  if (breaksOff) response.write(body, () => response.destroy())
  else response.end(body)
}

async function crawl(name: string, ...more: string[]): Promise<string> {
  const directory = temporary(name)
  const bounds = ['--delay', '0', '--tries', '1', '--types', 'text/html', '--max-body', String(BODY_BYTES)]
  const flags = [...web.flags, ...bounds, '--scope', 'host', '--out', directory]
  const ended = await orbweaver(['crawl', `http://${HOST}/`, ...flags, ...more])
  expect(ended.code, ended.stderr).toBe(0)
  return directory
}

async function rows(directory: string, sql: string): Promise<Record<string, unknown>[]> {
  const found: Record<string, unknown>[] = []
  for await (const row of query(directory, sql)) found.push({ ...row })
  return found
}

/** What the tables say of every page; that nothing was sent is no difference. */
const SAID = `SELECT url, CASE outcome WHEN 'NOT_MODIFIED' THEN 'OK' ELSE outcome END AS outcome, content_digest,
  content_mime_type, content_mime_detected, content_charset, content_languages, content_truncated, title, description,
  text, outlinks, outlinks_foreign, canonical, redirect_target, etag, last_modified FROM pages ORDER BY url`
const LINKS = 'SELECT url, target, kind FROM links ORDER BY ALL'

interface Stored {
  readonly type: string
  readonly date: string
  readonly digest: string
  readonly profile: string
  readonly refersTo: string
  readonly refersToDate: string
}

/** Response and revisit records of pages, by the last part of their URL. */
async function recordsOf(directory: string): Promise<Map<string, Stored>> {
  const found = new Map<string, Stored>()
  const folder = join(directory, 'archive')
  for (const file of readdirSync(folder).filter(name => name.endsWith('.warc.gz'))) {
    for await (const { warcType, warcTargetURI, warcHeaders } of new WARCParser(
      createReadStream(join(folder, file)),
    )) {
      if (warcType !== 'response' && warcType !== 'revisit') continue
      const header = (name: string) => warcHeaders.headers.get(name) ?? ''
      found.set((warcTargetURI ?? '').slice(urlOf('').length), {
        type: warcType,
        date: header('WARC-Date'),
        digest: header('WARC-Payload-Digest'),
        profile: header('WARC-Profile').replace(/.*\//, ''),
        refersTo: header('WARC-Refers-To-Target-URI'),
        refersToDate: header('WARC-Refers-To-Date'),
      })
    }
  }
  return found
}

const revisitOf = (name: string, original: Stored | undefined, profile: string) => ({
  type: 'revisit',
  profile,
  digest: original?.digest,
  refersTo: urlOf(name),
  refersToDate: original?.date,
})

it('a recrawl of a changed site says what a fresh crawl says, and stores every changed body', async () => {
  state = 0
  const first = await crawl('first')
  state = 1
  const again = await crawl('again', '--previous', first)
  const fresh = await crawl('fresh')
  expect(await rows(again, SAID)).toEqual(await rows(fresh, SAID))
  expect(await rows(again, LINKS)).toEqual(await rows(fresh, LINKS))
  const notModified = "SELECT url FROM pages WHERE outcome = 'NOT_MODIFIED' ORDER BY url"
  expect(await rows(again, notModified)).toEqual([{ url: urlOf('honest') }, { url: urlOf('ways') }])
  const [before, now, whole] = await Promise.all([first, again, fresh].map(recordsOf))
  for (const name of [...Object.keys(CHANGED), 'long-same'])
    expect(now.get(name), name).toMatchObject({ type: 'response', digest: whole.get(name)?.digest })
  for (const name of Object.keys(IDENTICAL))
    expect(now.get(name), name).toMatchObject(revisitOf(name, before.get(name), 'identical-payload-digest'))
  expect(now.get('honest')).toMatchObject(revisitOf('honest', before.get('honest'), 'server-not-modified'))
  expect(now.has('noarchive')).toBe(false)
  expect((await checkWarcs(again)).problems).toEqual([])
  // A third crawl refers to the record with the body, not to the revisit of the second.
  const third = await crawl('third', '--previous', again)
  expect(await rows(third, SAID)).toEqual(await rows(fresh, SAID))
  const latest = await recordsOf(third)
  for (const name of Object.keys(IDENTICAL))
    expect(latest.get(name), name).toMatchObject({ type: 'revisit', refersToDate: before.get(name)?.date })
  expect(latest.get('honest')).toMatchObject({ type: 'revisit', refersToDate: before.get('honest')?.date })
})

it('a crawl with an archive after one without stores every body', async () => {
  state = 0
  const bare = await crawl('bare', '--archive', 'none')
  const archived = await crawl('archived', '--previous', bare)
  const records = await recordsOf(archived)
  for (const name of [...Object.keys(IDENTICAL), 'honest'])
    expect(records.get(name), name).toMatchObject({ type: 'response' })
  expect(await rows(archived, SAID)).toEqual(await rows(bare, SAID))
})

it.each([
  ['what was excluded', ['--exclude', 'way-in'], []],
  ['requisites', [], ['--assets']],
  ['rows of all links', [], ['--links', 'all']],
  ['another host', [], [`http://more.test/`]],
])('a recrawl that wants %s besides finds it behind pages that answer 304', async (_, before, now) => {
  state = 0
  const first = await crawl('first', ...before)
  const again = await crawl('again', ...now, '--previous', first)
  const fresh = await crawl('fresh', ...now)
  expect(await rows(again, SAID)).toEqual(await rows(fresh, SAID))
  expect(await rows(again, LINKS)).toEqual(await rows(fresh, LINKS))
})
