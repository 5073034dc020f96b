import { type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { Writable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MadeCrawl } from '../../test/kit/made-crawl.js'
import { BIN } from '../../test/kit/orbweaver.js'
import { closingLines } from './export.js'
import { readLimits } from './options/query-limits.js'
import { runQuery } from './query.js'

let crawl: MadeCrawl

beforeAll(async () => {
  crawl = new MadeCrawl()
  await crawl.add([
    { url: 'http://a.test/', body: '<title>Home</title>', links: ['http://b.test/', 'http://b.test/2'] },
    { url: 'http://a.test/2', body: '<title>Two, with a comma</title>' },
  ])
})

afterAll(() => crawl.remove())

/** The command as a process. */
function orbweaver(...args: string[]): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, [BIN, ...args], { encoding: 'utf8', cwd: tmpdir() })
}

/** What `runQuery` prints. */
async function printed(
  sql: string | undefined,
  format: 'table' | 'csv' | 'json',
  isTTY = false,
): Promise<string> {
  let text = ''
  const stream = new Writable({
    write(piece, _, done) {
      text += piece
      done()
    },
  })
  const out = Object.assign(stream, { isTTY })
  await runQuery(crawl.dir, sql, format, out)
  return text
}

describe('orbweaver query', () => {
  it('prints a table, CSV or JSON', async () => {
    const sql = 'SELECT url, title FROM pages ORDER BY url'
    expect(await printed(sql, 'table')).toBe(
      [
        'url              title',
        '───────────────  ─────────────────',
        'http://a.test/   Home',
        'http://a.test/2  Two, with a comma',
        '(2 rows)',
        '',
      ].join('\n'),
    )
    expect(await printed(sql, 'csv')).toBe(
      'url,title\r\nhttp://a.test/,Home\r\nhttp://a.test/2,"Two, with a comma"\r\n',
    )
    expect(JSON.parse(await printed(sql, 'json'))).toEqual([
      { url: 'http://a.test/', title: 'Home' },
      { url: 'http://a.test/2', title: 'Two, with a comma' },
    ])
  })

  it('prints to a terminal nothing that it would obey, and to a pipe every byte', async () => {
    const loud = 'a\x1b[2J\x9b31m\x07\rb\u202e'
    const sql = `SELECT '${loud}' AS loud, 'c\nd\te' AS quiet`
    expect(await printed(sql, 'csv')).toBe(`loud,quiet\r\n"${loud}","c\nd\te"\r\n`)
    expect(await printed(sql, 'csv', true)).toBe('loud,quiet\r\n"a [2J 31m  b ","c\nd\te"\r\n')
    for (const isTTY of [false, true])
      expect(JSON.parse(await printed(sql, 'json', isTTY))).toEqual([{ loud, quiet: 'c\nd\te' }])
    expect(await printed(sql, 'json', true)).not.toMatch(/[^\P{C}\n]/u)
    expect(await printed(sql, 'table')).not.toMatch(/[^\P{C}\n]/u)
  })

  it('lists the tables without SQL, with examples that can be pasted', async () => {
    const text = await printed(undefined, 'table')
    expect(text).toContain('pages  2 rows: one row per URL')
    expect(text).toContain('links  2 rows')
    expect(text).toContain('sites  1 row')
    expect(text).toContain('warc_record_offset bigint')
    const examples = text.split('\n').filter(line => line.startsWith('  orbweaver query '))
    expect(examples).toHaveLength(3)
    for (const example of examples) {
      const [, dir, sql] = /^ {2}orbweaver query (\S+) "(.*)"$/.exec(example) ?? []
      expect(dir).toBe(crawl.dir)
      expect(await printed(sql, 'table')).toMatch(/\([1-9]\d* rows?\)\n$/)
    }
    expect(JSON.parse(await printed(undefined, 'json'))).toMatchObject({
      tables: [
        { name: 'pages', rows: 2 },
        { name: 'links', rows: 2 },
        { name: 'sites', rows: 1 },
      ],
    })
    expect(await printed(undefined, 'csv')).toContain('\r\npages,title,VARCHAR\r\n')
  })

  it('shows the first rows of a long result and says so', async () => {
    const text = await printed('SELECT range FROM range(5000)', 'table')
    expect(text.trimEnd().split('\n')).toHaveLength(1_003)
    expect(text).toContain('(the first 1,000 rows; --format csv or json gives all of them)')
  })

  it('fails with a ConfigError of one or two lines and prints nothing', () => {
    const { status, stdout, stderr } = orbweaver('query', crawl.dir, 'SELECT titel FROM pages')
    expect([status, stdout]).toEqual([4, ''])
    expect(stderr).toMatch(/^orbweaver: Binder Error: [^\n]+ Candidate bindings: [^\n]+\n$/)
  })

  it('ends quietly when its reader leaves', async () => {
    const sql = "SELECT range, repeat('x', 100) FROM range(100000000)"
    const child = spawn(process.execPath, [BIN, 'query', crawl.dir, sql, '--format', 'json'])
    let errors = ''
    child.stderr.on('data', piece => {
      errors += piece
    })
    await new Promise(resolve => child.stdout.once('data', resolve))
    child.stdout.destroy()
    const code = await new Promise(resolve => child.once('exit', resolve))
    expect([code, errors]).toEqual([0, ''])
  })
})

describe('limits of a query', () => {
  it.each([
    ['--timeout', '0', '--timeout must be more than 0'],
    ['--timeout', '9999999', '--timeout must be at most 2000000'],
    ['--memory', 'much', '--memory must be a size such as 500k, 20M or 1Gi'],
    ['--spill', '-1', '--spill must be a size such as 500k, 20M or 1Gi'],
    ['--threads', '1.5', '--threads must be a whole number'],
  ])('%s %s is refused', (flag, value, message) => {
    expect(() => readLimits({ [flag.slice(2)]: value })).toThrow(message)
  })
})

describe('orbweaver export', () => {
  it('writes beside where one stands, named after the crawl, and never over what is there', () => {
    const name = basename(crawl.dir)
    const first = orbweaver('export', crawl.dir, '--to', 'files')
    expect([first.status, first.stdout]).toEqual([0, ''])
    expect(first.stderr).toBe(`Wrote 2 files to ${name}-files; open ${name}-files/index.html\n`)
    const again = orbweaver('export', crawl.dir, '--to', 'files')
    expect(again.status).toBe(4)
    expect(again.stderr).toMatch(/^orbweaver: .* is not empty; /)
    rmSync(join(tmpdir(), `${name}-files`), { recursive: true })
  })

  it('writes JSON lines to stdout when asked to', () => {
    const { stdout, stderr } = orbweaver('export', crawl.dir, '--to', 'jsonl', '--out', '-')
    const urls = stdout.split('\n', 2).map(line => JSON.parse(line).url)
    expect(urls.sort()).toEqual(['http://a.test/', 'http://a.test/2'])
    expect(stderr).toBe('Wrote 2 rows to stdout\n')
  })

  it('says what was left out and why', () => {
    const tally = {
      written: 1_200,
      fromEarlier: 1_000,
      asPlainText: 3,
      skippedUnchanged: 1,
      trouble: 'the crawl /x is not there',
      skippedUnreadable: 2,
      example: 'http://a.test/: cut',
      damaged: 0,
    }
    expect(closingLines(tally, 'markdown', 'out')).toBe(
      'Wrote 1,200 pages to out\n' +
        'Took 1,000 pages that did not change from earlier crawls\n' +
        'Wrote plain text for 3 pages that did not change: the crawl /x is not there\n' +
        'Left out 1 page that did not change: the crawl /x is not there\n' +
        'Left out 2 pages that could not be read, e.g. http://a.test/: cut\n',
    )
  })
})
