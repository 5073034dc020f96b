import { type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process'
import { readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { Writable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MadeCrawl } from '../../test/kit/made-crawl.js'
import { closingLines } from './export.js'
import { runQuery } from './query.js'
import { readLimits } from './query-limits.js'

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
const SCRIPT = `
  import { main } from ${JSON.stringify(join(import.meta.dirname, 'main.ts'))}
  process.exitCode = await main(process.argv.slice(1))
`
const NODE = ['--import', import.meta.resolve('tsx'), '--input-type=module', '--eval', SCRIPT, '--']

function orbweaver(...args: string[]): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, [...NODE, ...args], { encoding: 'utf8', cwd: tmpdir() })
}

const scratch = () => readdirSync(tmpdir()).filter(name => /^orbweaver-(query|export)-/.test(name))

/** What `runQuery` prints. */
async function printed(sql: string | undefined, format: 'table' | 'csv' | 'json'): Promise<string> {
  let text = ''
  const out = new Writable({
    write(piece, _, done) {
      text += piece
      done()
    },
  })
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
    const child = spawn(process.execPath, [...NODE, 'query', crawl.dir, sql, '--format', 'json'])
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

/** Prints for a while, then counts for hours. */
const ENDLESS = 'SELECT range FROM range(200000) UNION ALL SELECT count(*) FROM range(1000000000000)'
/** Counts for hours inside one call of a function, which DuckDB does not interrupt. */
const ONE_CALL = "SELECT levenshtein(repeat('a', 400000), repeat('b', 400000))"

interface Interrupted {
  readonly ended: string | number | null
  readonly errors: string
}

/** The first signal is sent as soon as the command has begun: it has printed something, or made its scratch folder. */
async function interrupted(
  args: readonly string[],
  signals: readonly NodeJS.Signals[],
): Promise<Interrupted> {
  const before = new Set(scratch())
  const child = spawn(process.execPath, [...NODE, ...args], { cwd: tmpdir() })
  let errors = ''
  child.stderr.on('data', piece => {
    errors += piece
  })
  const exit = new Promise<Interrupted['ended']>(resolve =>
    child.once('exit', (code, signal) => resolve(code ?? signal)),
  )
  // Nobody reads on: the pipe fills, and the command waits to go on printing.
  const printed = new Promise(resolve => child.stdout.once('data', resolve)).then(() => child.stdout.pause())
  if (args.includes(ONE_CALL) || args[0] === 'export') {
    while (scratch().every(name => before.has(name)) && child.exitCode === null) await setTimeout(10)
    child.stdout.resume()
  } else await printed
  for (const signal of signals) child.kill(signal)
  return { ended: await exit, errors }
}

describe('Ctrl-C', () => {
  const query = (sql: string, ...flags: string[]) => ['query', crawl.dir, sql, '--format', 'csv', ...flags]

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s ends a query that computes', async signal => {
    const before = scratch()
    expect(await interrupted(query(ENDLESS), [signal])).toEqual({
      ended: 11,
      errors: 'orbweaver: interrupted\n',
    })
    expect(scratch()).toEqual(before)
    expect(readdirSync(join(crawl.dir, 'tables')).sort()).toEqual(['links', 'pages', 'sites'])
  })

  it('ends a query whose reader does not read', async () => {
    const sql = "SELECT range, repeat('x', 100) FROM range(100000000)"
    expect(await interrupted(query(sql), ['SIGINT', 'SIGINT'])).toMatchObject({ ended: 11 })
  })

  it('ends a query inside a call that cannot be interrupted, and removes its scratch folder', async () => {
    const before = scratch()
    const { ended, errors } = await interrupted(query(ONE_CALL), ['SIGINT'])
    // By the signal itself once the call has begun.
    expect([11, 'SIGINT']).toContain(ended)
    expect(errors).toBe('orbweaver: interrupted\n')
    expect(scratch()).toEqual(before)
  })

  it('ends an export', async () => {
    const args = ['export', crawl.dir, '--to', 'jsonl', '--out', '-']
    const { ended } = await interrupted(args, ['SIGINT'])
    // It may be done by then: the crawl is small.
    expect([0, 11]).toContain(ended)
  })
})

describe('limits of a query', () => {
  it('--timeout ends it with a line and exit code 11', () => {
    const { status, stderr } = orbweaver('query', crawl.dir, ENDLESS, '--timeout', '1.5', '--format', 'csv')
    expect([status, stderr]).toEqual([11, 'orbweaver: not done after 1.5 s (--timeout)\n'])
  })

  it('--memory bounds what DuckDB counts', () => {
    const sql = 'SELECT list(range), list(hash(range)) FROM range(20000000)'
    const { status, stderr } = orbweaver('query', crawl.dir, sql, '--memory', '40M', '--threads', '1')
    expect(status).toBe(4)
    expect(stderr).toMatch(/^orbweaver: (?:Out of Memory Error|the query stopped halfway)[^\n]+\n$/)
  })

  it('--memory bounds what DuckDB does not count', () => {
    const sql = 'SELECT list_sum(range(400000000))'
    const { status, signal, stderr } = orbweaver('query', crawl.dir, sql, '--memory', '50M', '--threads', '1')
    // By a signal of its own where DuckDB does not let go.
    expect([status, signal].some(end => end === 4 || end === 'SIGTERM')).toBe(true)
    expect(stderr).toMatch(/^orbweaver: the query takes more than [\d.]+ MB of memory; [^\n]+\n$/)
  })

  it('--spill bounds the temporary files', () => {
    const sql = 'SELECT range, hash(range) FROM range(5000000) ORDER BY 2'
    const flags = ['--memory', '40M', '--threads', '1', '--format', 'csv']
    const { status, stderr } = orbweaver('query', crawl.dir, sql, ...flags, '--spill', '0')
    expect(status).toBe(4)
    expect(stderr).toMatch(/^orbweaver: (?:Out of Memory Error|the query stopped halfway)[^\n]+\n$/)
  })

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
