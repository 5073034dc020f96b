import { mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { digestOf, gzipRecord, type MadeRecord, page, plainRecord } from '../../../../test/kit/made-warc.js'
import { systemClock } from '../../../compose/index.js'
import { fetchLimits } from '../../../model/index.js'
import { BodyBudget } from '../../fetch/body/index.js'
import type { FetchRequest, FetchResult } from '../../fetch/index.js'
import { LocalFetcher } from '../local/index.js'
import { ArchiveReader } from './archive-reader.js'
import { type BuiltIndex, buildIndex, indexFile } from './build-index.js'

const A = 'http://a.test/'
let folder: string
let built: BuiltIndex
const fetchers: LocalFetcher[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orb-archive-'))
})
afterEach(async () => {
  for (const fetcher of fetchers.splice(0)) await fetcher.close()
  rmSync(folder, { recursive: true })
})

const write = (name: string, ...parts: (MadeRecord | Buffer)[]) =>
  writeFileSync(
    join(folder, name),
    Buffer.concat(parts.map(part => (Buffer.isBuffer(part) ? part : gzipRecord(part)))),
  )

type Get = (url: string, request?: Partial<FetchRequest>) => Promise<FetchResult>

async function opened(bodyBytes = 1_000_000): Promise<Get> {
  const indexes = join(folder, 'indexes')
  built = await buildIndex(folder, indexes)
  const limits = fetchLimits({ bodyBytes })
  const reader = new ArchiveReader(indexFile(indexes, folder), systemClock, limits)
  const fetcher = new LocalFetcher(reader, {
    clock: systemClock,
    limits,
    budget: new BodyBudget(limits.bodyBytesInFlight),
  })
  fetchers.push(fetcher)
  return (url, request = {}) => fetcher.fetch({ url, ...request }, new AbortController().signal)
}

/** Status and body, or the code of a failure. */
async function said(get: Get, url: string): Promise<string> {
  const result = await get(url)
  const { exchange } = result
  const code = result.ok ? '' : `${result.code} `
  return exchange ? `${code}${exchange.status} ${exchange.body.toString()}` : code.trim()
}

describe('a capture', () => {
  test('comes as it was recorded: head, address, time', async () => {
    const fields = { 'WARC-IP-Address': '192.0.2.7' }
    write(
      'a.warc.gz',
      page(A, 'one', { date: '2019-05-04T03:02:01Z', fields, head: 'HTTP/1.1 200 Fine\r\nX-Odd: 1' }),
    )
    const { exchange } = await (await opened())(A)
    expect(exchange).toMatchObject({
      status: 200,
      remoteAddress: '192.0.2.7',
      startedAt: Date.UTC(2019, 4, 4, 3, 2, 1),
    })
    expect(exchange?.responseHead.toString()).toBe('HTTP/1.1 200 Fine\r\nX-Odd: 1\r\n\r\n')
    expect(exchange?.medium).toBeUndefined()
  })

  test('is the latest of its URL, whatever file it is in', async () => {
    write('b.warc.gz', page(A, 'old', { date: '2019-01-01T00:00:00Z' }))
    write(
      'a.warc.gz',
      page(A, 'new', { date: '2021-01-01T00:00:00Z' }),
      page(A, 'older', { date: '2018-01-01T00:00:00Z' }),
    )
    expect(await said(await opened(), A)).toBe('200 new')
    expect(built).toMatchObject({ files: 2, captures: 3, problems: [] })
  })

  test('may be a redirect, an error or a failure', async () => {
    const head = (status: string) => ({ head: `HTTP/1.1 ${status}` })
    write(
      'a.warc.gz',
      page(`${A}moved`, '', { head: 'HTTP/1.1 301 Moved\r\nLocation: /there' }),
      page(`${A}gone`, 'gone', head('410 Gone')),
      page(`${A}busy`, 'busy', head('503 Busy')),
      page(`${A}old`, 'old', { head: 'HTTP/1.0 200 OK' }),
      page(`${A}two`, 'two', { head: 'HTTP/2 200\r\ncontent-type: text/html' }),
      page(`${A}cut`, 'cu', { fields: { 'WARC-Truncated': 'disconnect' } }),
      page(`${A}late`, 'la', { fields: { 'WARC-Truncated': 'time' } }),
      page(`${A}long`, 'lo', { fields: { 'WARC-Truncated': 'length' } }),
      { type: 'response', url: `${A}nonsense`, block: 'this is no HTTP' },
    )
    const get = await opened()
    expect((await get(`${A}moved`)).exchange?.header('location')).toBe('/there')
    const answers = ['gone', 'busy', 'old', 'two', 'cut', 'late', 'long', 'nonsense'].map(path =>
      said(get, A + path),
    )
    expect(await Promise.all(answers)).toEqual([
      '410 gone',
      '503 busy',
      '200 old',
      '200 two',
      'BODY_CUT 200 cu',
      'BODY_TOO_SLOW 200 la',
      '200 lo',
      'BAD_RESPONSE',
    ])
    expect((await get(`${A}long`)).exchange?.truncated).toBe('length')
  })

  test('of wget is found: angle brackets, chunks as sent, its log beside it', async () => {
    const head = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked'
    write(
      'a.warc.gz',
      { type: 'warcinfo', url: '', block: 'software: Wget' },
      { type: 'request', url: `<${A}>`, block: 'GET / HTTP/1.1\r\n\r\n' },
      page(`<${A}>`, '3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n', { head }),
      { type: 'resource', url: '<metadata://gnu.org/software/wget/warc/MANIFEST.txt>', block: 'manifest' },
      { type: 'response', url: 'dns:a.test', block: '192.0.2.1', fields: { 'Content-Type': 'text/dns' } },
    )
    const { exchange } = await (await opened())(A)
    expect(exchange?.body.toString()).toBe('abcde')
    expect(exchange?.payload.toString()).toBe('abcde')
    expect(exchange?.rawBody.toString()).toContain('3\r\nabc')
    expect(built.captures).toBe(1)
  })

  test('is decoded, and a label that is wrong is ignored', async () => {
    const head = 'HTTP/1.1 200 OK\r\nContent-Encoding: gzip'
    write('a.warc.gz', page(`${A}1`, gzipSync('packed'), { head }), page(`${A}2`, 'plain', { head }))
    const get = await opened()
    expect(await said(get, `${A}1`)).toBe('200 packed')
    expect(await said(get, `${A}2`)).toBe('200 plain')
    expect((await get(`${A}1`)).exchange?.payload.equals(gzipSync('packed'))).toBe(true)
  })

  test('of a file is a file again, with its redirect from the directory', async () => {
    const fields = {
      'X-ETag': '"7"',
      'X-Last-Modified': 'Tue, 14 Nov 2023 22:13:20 GMT',
      'Content-Type': 'text/css',
    }
    write('a.warc.gz', { type: 'resource', url: `${A}sub/`, block: 'file', fields })
    const get = await opened()
    const { exchange } = await get(`${A}sub/`)
    expect(exchange).toMatchObject({ status: 200, medium: 'file' })
    expect([exchange?.header('etag'), exchange?.header('content-type')]).toEqual(['"7"', 'text/css'])
    const moved = await get(`${A}sub`)
    expect(moved.exchange).toMatchObject({ status: 301, medium: 'none' })
    expect(moved.exchange?.header('location')).toBe(`${A}sub/`)
  })

  test('that is not there is no 404, but robots.txt is', async () => {
    write('a.warc.gz', page(A, 'one'))
    const get = await opened()
    expect(await said(get, `${A}other`)).toBe('NOT_ARCHIVED')
    expect(await said(get, `${A}robots.txt`)).toBe('404 ')
    expect((await get(`${A}robots.txt`)).exchange?.medium).toBe('none')
  })
})

describe('a revisit', () => {
  const revisit = (
    url: string,
    fields: Record<string, string>,
    head = 'HTTP/1.1 200 OK\r\nX-New: 1',
  ): MadeRecord => ({ type: 'revisit', url, block: `${head}\r\n\r\n`, date: '2022-01-01T00:00:00Z', fields })

  test('has the payload of the record that it names, by URL and date or by digest', async () => {
    write(
      'a.warc.gz',
      page(`${A}orig`, 'wrong', { date: '2018-01-01T00:00:00Z' }),
      page(`${A}orig`, 'right', { date: '2019-01-01T00:00:00Z' }),
      page(`${A}orig`, 'later', { date: '2021-01-01T00:00:00Z' }),
      revisit(`${A}1`, {
        'WARC-Refers-To-Target-URI': `${A}orig`,
        'WARC-Refers-To-Date': '2019-01-01T00:00:00Z',
      }),
      revisit(`${A}2`, { 'WARC-Payload-Digest': digestOf('right') }),
      revisit(`${A}orig`, {}, 'HTTP/1.1 304 Not Modified'),
    )
    const get = await opened()
    expect(await said(get, `${A}1`)).toBe('200 right')
    expect((await get(`${A}1`)).exchange?.header('x-new')).toBe('1')
    expect(await said(get, `${A}2`)).toBe('200 right')
    expect(await said(get, `${A}orig`)).toBe('200 later')
  })

  test('whose original is elsewhere gives way to the capture before it, or there is none', async () => {
    const digest = { 'WARC-Payload-Digest': digestOf('elsewhere') }
    write('a.warc.gz', page(A, 'before'), revisit(A, digest), revisit(`${A}alone`, digest))
    const get = await opened()
    expect(await said(get, A)).toBe('200 before')
    expect(await said(get, `${A}alone`)).toBe('NOT_ARCHIVED')
  })
})

describe('files that are wrong', () => {
  test('one that is cut in the middle of a record is read up to there', async () => {
    const last = gzipRecord(page(`${A}2`, Buffer.alloc(5_000, 'abcdefg')))
    write('a.warc.gz', page(`${A}1`, 'one'), last.subarray(0, last.length - 20))
    const get = await opened()
    expect(await said(get, `${A}1`)).toBe('200 one')
    expect(await said(get, `${A}2`)).toBe('NOT_ARCHIVED')
    expect(built.problems.join()).toMatch(
      /a\.warc\.gz: byte \d+ has a record that is cut; its last \d+ bytes/,
    )
  })

  test('damage ends the file, and does not touch others', async () => {
    const bad = gzipRecord(page(`${A}2`, 'two'))
    bad[bad.length - 5] ^= 0xff
    write('a.warc.gz', page(`${A}1`, 'one'), bad, page(`${A}3`, 'three'))
    write('b.warc.gz', page(`${A}4`, 'four'))
    const get = await opened()
    expect(await Promise.all(['1', '2', '3', '4'].map(path => said(get, A + path)))).toEqual([
      '200 one',
      'NOT_ARCHIVED',
      'NOT_ARCHIVED',
      '200 four',
    ])
    expect(built.problems).toHaveLength(1)
  })

  test('records that lie about their length', async () => {
    const lying = (length: string) => page(`${A}${length}`, 'body', { fields: { 'Content-Length': length } })
    write(
      'a.warc.gz',
      lying('1000000'),
      lying('40'),
      lying('-1'),
      lying('x'),
      lying('9'.repeat(30)),
      page(A, 'one'),
    )
    const get = await opened()
    expect(await said(get, A)).toBe('200 one')
    expect(await said(get, `${A}1000000`)).toMatch(/^BODY_CUT 200 body/)
    expect(await said(get, `${A}40`)).not.toContain('body')
    expect(await said(get, `${A}-1`)).toBe('NOT_ARCHIVED')
    expect(built.problems).toHaveLength(1)
  })

  test('a bomb is cut at the bound of a body', async () => {
    const bomb = page(A, Buffer.alloc(60_000_000))
    const packed = page(`${A}gz`, gzipSync(Buffer.alloc(60_000_000)), {
      head: 'HTTP/1.1 200 OK\r\nContent-Encoding: gzip',
    })
    write('a.warc.gz', bomb, packed, page(`${A}after`, 'after'))
    const get = await opened(100_000)
    for (const url of [A, `${A}gz`]) {
      const { exchange } = await get(url)
      expect(exchange).toMatchObject({ status: 200, truncated: 'length' })
      expect(exchange?.body).toHaveLength(100_000)
    }
    expect(await said(get, `${A}after`)).toBe('200 after')
    expect(built.problems).toEqual([])
  })

  test('a file that is compressed as a whole is named, and not taken apart', async () => {
    const all = [1, 2, 3].map(n => plainRecord(page(A + n, 'x'.repeat(100_000))))
    write('a.warc.gz', gzipSync(Buffer.concat(all)))
    const get = await opened()
    expect(await said(get, `${A}2`)).toBe('NOT_ARCHIVED')
    expect(built.problems.join()).toContain('recompress')
  })

  test('what is no archive', async () => {
    write('a.warc.gz', Buffer.from('hello'), Buffer.alloc(100))
    write('b.warc.gz')
    write('c.warc', Buffer.from('ARC/1.0 http://a.test/ 192.0.2.1 20200101000000 text/html 3\nabc'))
    write('d.warc.gz', gzipSync('not a record'))
    const get = await opened()
    expect(await said(get, A)).toBe('NOT_ARCHIVED')
    expect(built.problems.map(line => line.slice(folder.length + 1, folder.length + 2))).toEqual([
      'a',
      'c',
      'd',
    ])
  })

  test('long records need no memory to be passed over', async () => {
    const noise = Buffer.alloc(3_000_000)
    for (let i = 0; i < noise.length; i++) noise[i] = (Math.imul(i, 2654435761) >>> 13) & 0xff
    write('a.warc.gz', page(`${A}long`, noise), page(A, 'one'))
    write('b.warc', plainRecord(page(`${A}plain`, noise)), plainRecord(page(`${A}2`, 'two')))
    const get = await opened(10_000_000)
    expect((await get(`${A}long`)).exchange?.body.equals(noise)).toBe(true)
    expect((await get(`${A}plain`)).exchange?.body.equals(noise)).toBe(true)
    expect(await said(get, A)).toBe('200 one')
    expect(await said(get, `${A}2`)).toBe('200 two')
    expect(built.problems).toEqual([])
  })
})

describe('a CDXJ beside a WARC', () => {
  const one = gzipRecord(page(`${A}1`, 'one'))
  const two = gzipRecord(page(`${A}2`, 'two'))
  const line = (url: string, offset: number | string, length: number | string, more = {}) =>
    `test,a)/ 20200101000000 ${JSON.stringify({ url, offset: String(offset), length: String(length), filename: 'a.warc.gz', ...more })}\n`

  const withIndex = async (...lines: string[]): Promise<Get> => {
    write('a.warc.gz', one, two)
    writeFileSync(join(folder, 'a.cdxj'), lines.join(''))
    return opened()
  }

  test('is used instead of a scan', async () => {
    const get = await withIndex(line(`${A}1`, 0, one.length))
    expect(await said(get, `${A}1`)).toBe('200 one')
    expect(await said(get, `${A}2`)).toBe('NOT_ARCHIVED')
    expect(built).toMatchObject({ captures: 1, problems: [] })
  })

  test('does not say what is a file, but a file has its redirect from the directory', async () => {
    const file = gzipRecord({ type: 'resource', url: `${A}sub/`, block: 'file' })
    const made = gzipRecord(page(`${A}made/`, 'no file'))
    write('a.warc.gz', file, made)
    writeFileSync(
      join(folder, 'a.cdxj'),
      line(`${A}sub/`, 0, file.length) + line(`${A}made/`, file.length, made.length),
    )
    const get = await opened()
    expect((await get(`${A}sub`)).exchange?.header('location')).toBe(`${A}sub/`)
    expect(await said(get, `${A}made`)).toBe('NOT_ARCHIVED')
  })

  test('that lies about places gives no page of another URL', async () => {
    const get = await withIndex(
      line(`${A}2`, 0, one.length),
      line(`${A}3`, 5, 20),
      line(`${A}4`, one.length + two.length + 10, 100),
      line(`${A}5`, 0, 9),
      line(`${A}1`, 0, 2 ** 40),
    )
    expect(await said(get, `${A}2`)).toBe('NOT_ARCHIVED')
    for (const path of ['3', '4', '5']) expect(await said(get, A + path)).toBe('SOURCE_FAILED')
    expect(await said(get, `${A}1`)).toBe('200 one')
  })

  test('with lines that are none', async () => {
    const get = await withIndex(
      '!meta {"x":1}\n',
      'nonsense\n',
      'x 20200101 {"url":\n',
      `x 20200101 {"url":"${'u'.repeat(200_000)}"}\n`,
      line(`${A}x`, -1, 5),
      line(`${A}x`, 'x', 5),
      line(`${A}other`, 0, 5, { filename: 'b.warc.gz' }),
      line(`${A}2`, one.length, two.length),
    )
    expect(await said(get, `${A}2`)).toBe('200 two')
    expect(built).toMatchObject({ captures: 1 })
    expect(built.problems.join()).toContain('5 lines of a.cdxj cannot be used')
  })
})

test('an index is made once, and again when a file changes', async () => {
  write('a.warc.gz', page(A, 'one'))
  await opened()
  expect(built.captures).toBe(1)
  await opened()
  expect(built.captures).toBe(0)
  writeFileSync(
    join(folder, 'a.warc.gz'),
    Buffer.concat([readFileSync(join(folder, 'a.warc.gz')), gzipRecord(page(`${A}2`, 'two'))]),
  )
  utimesSync(join(folder, 'a.warc.gz'), 1, 1)
  const get = await opened()
  expect(built.captures).toBe(2)
  expect(await said(get, `${A}2`)).toBe('200 two')
  const index = indexFile(join(folder, 'indexes'), folder)
  writeFileSync(index, 'damaged')
  await opened()
  expect(built.captures).toBe(2)
  expect(statSync(index).size).toBeGreaterThan(100)
})

test('a stopped scan leaves no index', async () => {
  write('a.warc.gz', page(A, 'one'))
  const indexes = join(folder, 'indexes')
  expect(await buildIndex(folder, indexes, () => true)).toMatchObject({ captures: 0 })
  expect(statSync(indexFile(indexes, folder), { throwIfNoEntry: false })).toBeUndefined()
})
