/**
 * A query ends when the user, a limit or its reader wants it to, whatever DuckDB is at.
 *
 * @module-tag deep
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { query } from '../../src/index.js'
import { MadeCrawl } from '../kit/made-crawl.js'
import { BIN, orbweaver } from '../kit/orbweaver.js'

/** Prints for a while, then searches for days. */
const ENDLESS = 'SELECT range FROM range(1000000000000000) WHERE range < 200000 OR hash(range) = 1'
/** Takes minutes inside one call of a function, which DuckDB does not interrupt. */
const ONE_CALL = "SELECT levenshtein(repeat('a', 200000), repeat('b', 200000))"

let crawl: MadeCrawl
let temporary: string

beforeAll(async () => {
  temporary = mkdtempSync(join(tmpdir(), 'orb-interrupted-'))
  crawl = new MadeCrawl()
  await crawl.add([{ url: 'http://a.test/', body: '<title>Home</title>' }])
  await crawl.finish()
})
afterAll(() => crawl.remove())

const asked = (sql: string, ...flags: string[]) => ['query', crawl.dir, sql, '--format', 'csv', ...flags]

interface Running {
  readonly child: ChildProcess
  /** The exit code, or the signal it ended by. */
  readonly ended: Promise<{ readonly by: number | NodeJS.Signals | null; readonly errors: string }>
}

/** Nobody reads more than the first piece of what it prints. */
function start(args: readonly string[]): Running {
  const env = { ...process.env, TMPDIR: temporary }
  const child = spawn(process.execPath, [BIN, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let errors = ''
  child.stderr.on('data', piece => {
    errors += piece
  })
  const closed = once(child, 'close')
  const ended = once(child, 'exit').then(async ([code, signal]) => {
    child.stdout.resume()
    await closed
    return { by: code ?? signal, errors }
  })
  return { child, ended }
}

async function firstPiece({ stdout }: ChildProcess): Promise<void> {
  if (stdout === null) throw new Error('no stdout')
  await once(stdout, 'readable')
  stdout.read(1)
}

describe('a signal', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s ends a query that computes', async signal => {
    const { child, ended } = start(asked(ENDLESS))
    await firstPiece(child)
    child.stdout?.resume()
    child.kill(signal)
    expect(await ended).toEqual({ by: 11, errors: 'orbweaver: interrupted\n' })
    expect(readdirSync(temporary)).toEqual([])
    expect(readdirSync(join(crawl.dir, 'tables')).sort()).toEqual(['items', 'links', 'pages', 'sites'])
  })

  it('ends a query whose reader does not read', async () => {
    const { child, ended } = start(asked("SELECT range, repeat('x', 100) FROM range(100000000)"))
    await firstPiece(child)
    child.kill('SIGINT')
    child.kill('SIGINT')
    expect(await ended).toEqual({ by: 11, errors: 'orbweaver: interrupted\n' })
  })

  it('ends a query inside a call that cannot be interrupted, and leaves no scratch folder', async () => {
    const { child, ended } = start(asked(ONE_CALL))
    while (!readdirSync(temporary).some(name => name.startsWith('orbweaver-query-'))) await setTimeout(20)
    child.kill('SIGINT')
    const { by, errors } = await ended
    // By the signal itself once the call has begun.
    expect([11, 'SIGINT']).toContain(by)
    expect(errors).toBe('orbweaver: interrupted\n')
    expect(readdirSync(temporary)).toEqual([])
  })
})

it('a reader that leaves ends a query that computes', async () => {
  const { child, ended } = start(asked(ENDLESS))
  await firstPiece(child)
  child.stdout?.destroy()
  expect(await ended).toEqual({ by: 0, errors: '' })
})

it('a reader of stderr that leaves changes nothing', async () => {
  const { child, ended } = start(['query', join(temporary, 'nowhere')])
  child.stderr?.destroy()
  expect(await ended).toEqual({ by: 4, errors: '' })
})

describe('a limit', () => {
  it('--timeout ends a query with one line and exit code 11', async () => {
    const { code, stderr } = await orbweaver(asked(ENDLESS, '--timeout', '1.5'))
    expect([code, stderr]).toEqual([11, 'orbweaver: not done after 1.5 s (--timeout)\n'])
  })

  it('--timeout ends an export, and says that its target is incomplete', async () => {
    const out = join(temporary, 'part.jsonl')
    const args = ['export', crawl.dir, '--to', 'jsonl', '--out', out, '--timeout', '0.000001']
    const { code, stderr } = await orbweaver(args)
    expect(code).toBe(11)
    expect(stderr).toMatch(/^orbweaver: not done after 0\.0 s \(--timeout\)(?:; \S+ is incomplete)?\n$/)
  })

  it('--memory bounds what DuckDB counts', async () => {
    const sql = 'SELECT list(range), list(hash(range)) FROM range(20000000)'
    const { code, stderr } = await orbweaver(asked(sql, '--memory', '40M', '--threads', '1'))
    expect(stderr).toMatch(/^orbweaver: (?:Out of Memory Error|the query stopped halfway)[^\n]+\n$/)
    expect(code).toBe(4)
  })

  it('--memory bounds what DuckDB does not count', async () => {
    const sql = 'SELECT list_sum(range(400000000))'
    const { code, signal, stderr } = await orbweaver(asked(sql, '--memory', '50M', '--threads', '1'))
    expect(stderr).toMatch(/^orbweaver: the query takes more than [\d.]+ MB of memory; [^\n]+\n$/)
    // By a signal of its own where DuckDB does not let go.
    expect([4, 'SIGTERM']).toContain(code ?? signal)
  })

  it('--spill bounds temporary files', async () => {
    const sql = 'SELECT range, hash(range), hash(range + 1) FROM range(4000000) ORDER BY 2'
    const small = ['--memory', '40M', '--threads', '1']
    const { code, stderr } = await orbweaver(asked(sql, ...small, '--spill', '0'))
    expect(stderr).toMatch(/^orbweaver: (?:Out of Memory Error|the query stopped halfway)[^\n]+\n$/)
    expect(code).toBe(4)
    const more = await orbweaver(asked(`SELECT max(range) FROM (${sql} OFFSET 1)`, ...small))
    expect([more.code, more.stderr]).toEqual([0, ''])
  })
})

describe('the library', () => {
  const read = async (options: Parameters<typeof query>[2]) => {
    for await (const _ of query(crawl.dir, ENDLESS, options));
  }

  it('ends a query by a signal, whose reason is thrown', async () => {
    const stop = new AbortController()
    const reason = new Error('enough')
    const done = read({ signal: stop.signal })
    await setTimeout(50)
    stop.abort(reason)
    await expect(done).rejects.toBe(reason)
    await expect(read({ signal: stop.signal })).rejects.toBe(reason)
  })

  it('ends a query after a time', async () => {
    await expect(read({ timeoutMs: 300 })).rejects.toMatchObject({ name: 'TimeoutError' })
  })
})
