import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MadeCrawl } from '../../../test/kit/made-crawl.js'
import { ConfigError } from '../../config/index.js'
import { openTables, type Tables } from './tables.js'

let crawl: MadeCrawl
let tables: Tables
let table = ''
let outside = ''
let server: Server
let asked = 0

beforeAll(async () => {
  crawl = new MadeCrawl()
  await crawl.add([{ url: 'http://a.test/', body: '<title>A</title>' }])
  await crawl.finish()
  tables = await openTables(crawl.dir)
  writeFileSync(join(crawl.dir, 'secret.csv'), 'a,b\n1,2\n')
  const [file] = (await crawl.ledger.files()).filter(({ kind }) => kind === 'pages')
  table = join(crawl.dir, file?.name ?? '')
  outside = mkdtempSync(join(tmpdir(), 'orb-outside-'))
  server = createServer((_, response) => {
    asked++
    response.end('a,b\n1,2\n')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
})

afterAll(async () => {
  await tables.close()
  await crawl.remove()
  rmSync(outside, { recursive: true })
  server.close()
})

/** Places that the statements below would write to or read from. */
const fill = (sql: string) =>
  sql
    .replaceAll('{out}', outside)
    .replaceAll('{crawl}', crawl.dir)
    .replaceAll('{table}', table)
    .replaceAll('{ledger}', join(crawl.dir, 'ledger.db'))
    .replaceAll('{port}', String((server.address() as AddressInfo).port))

async function run(sql: string): Promise<unknown[]> {
  const rows: unknown[] = []
  for await (const row of tables.query(fill(sql))) rows.push(row)
  return rows
}

describe('SQL reads the crawl', () => {
  it.each([
    'SELECT title FROM pages',
    'FROM pages SELECT title',
    'SELECT title FROM pages;',
    'WITH a AS (SELECT title FROM pages) SELECT * FROM a',
    '-- a comment\nSELECT title FROM pages -- another',
    'SELECT title FROM pages UNION SELECT title FROM pages',
    "SELECT title FROM pages WHERE title <> ';'; -- done",
    'SELECT title FROM pages; /* done */ ;',
    'SELECT title FROM pages ; -- x',
    "SELECT 'A' AS title ; -- x",
    ";SELECT 'A' AS title",
    ';; SELECT title FROM pages;;',
    '\ufeffSELECT title FROM pages --',
    '/* a /* b */ ; */ SELECT title FROM pages; --',
    "SELECT title FROM pages WHERE title <> e'it\\';' AND title <> $a$;$$;$a$; -- '",
    'SELECT title FROM pages WHERE 1e400 > 1;',
  ])('%s', async sql => {
    expect(await run(sql)).toEqual([{ title: 'A' }])
  })

  it.each([
    'DESCRIBE pages',
    'SUMMARIZE pages',
    'SHOW TABLES',
    'EXPLAIN SELECT * FROM pages',
    'EXPLAIN ANALYZE SELECT * FROM pages',
    'VALUES (1)',
    'SELECT * FROM range(3), unnest([1, 2])',
    "SELECT date_trunc('day', fetch_time) FROM pages",
    "SELECT * FROM '{table}'",
    'UNPIVOT (SELECT depth, hops FROM pages) ON depth, hops',
  ])('%s', async sql => {
    expect(await run(sql)).not.toEqual([])
  })
})

describe('SQL reaches nothing but the crawl, and changes nothing', () => {
  it.each([
    // Files and the network.
    "SELECT * FROM read_csv('/etc/passwd')",
    "SELECT * FROM '/etc/passwd'",
    "SELECT * FROM '{crawl}/secret.csv'",
    "SELECT * FROM '{crawl}/crawl.json'",
    "SELECT * FROM '{crawl}/tables/*/*.parquet'",
    "SELECT * FROM read_text('/etc/passwd')",
    "SELECT * FROM read_blob('{ledger}')",
    "SELECT * FROM read_parquet('{table}')",
    "SELECT * FROM glob('/etc/*')",
    "SELECT * FROM sniff_csv('/etc/passwd')",
    "SELECT * FROM parquet_metadata('/etc/passwd')",
    "SELECT * FROM read_csv('http://127.0.0.1:{port}/x.csv')",
    "SELECT * FROM 'http://127.0.0.1:{port}/x.csv'",
    "SELECT (SELECT max(content) FROM read_text('/etc/passwd'))",
    "WITH a AS (SELECT * FROM read_text('/etc/passwd')) SELECT * FROM a",
    "SELECT * FROM pages WHERE url IN (SELECT content FROM read_text('/etc/passwd'))",
    "SELECT * FROM query('SELECT * FROM read_text(''/etc/passwd'')')",
    "SELECT * FROM query_table('/etc/passwd')",
    'SELECT * FROM duckdb_secrets()',
    // Writing.
    "COPY pages TO '{out}/x.csv'",
    "COPY (SELECT 1) TO '{table}' (USE_TMP_FILE false)",
    "EXPLAIN ANALYZE COPY (SELECT 1) TO '{table}' (USE_TMP_FILE false)",
    "explain (analyze) COPY (SELECT 1) TO '{table}' (USE_TMP_FILE false)",
    "EXPORT DATABASE '{out}/db'",
    "ATTACH '{out}/x.db'",
    "ATTACH '{ledger}' (TYPE sqlite)",
    'CREATE TABLE t AS SELECT 1',
    'CREATE VIEW v AS SELECT 1',
    'CREATE MACRO m() AS 1',
    'INSERT INTO pages SELECT * FROM pages',
    'DROP VIEW pages',
    'DELETE FROM pages',
    // Settings and state.
    'SET threads = 1',
    'RESET threads',
    'SET enable_external_access = true',
    'PRAGMA enable_profiling',
    "PRAGMA profiling_output = '{out}/p'",
    'INSTALL httpfs',
    'LOAD httpfs',
    'CALL pragma_version()',
    "CALL enable_logging(storage = 'file', storage_path = '{out}/log')",
    "SELECT * FROM enable_logging(storage = 'file', storage_path = '{out}/log')",
    "SELECT * FROM enable_profiling(save_location = '{out}/p.json')",
    'SELECT * FROM force_checkpoint()',
    'SELECT * FROM arrow_scan(1, 2, 3)',
    "SELECT * FROM json_execute_serialized_sql('{}')",
    'USE memory',
    'BEGIN',
    'CHECKPOINT',
    'VACUUM',
    'PREPARE x AS SELECT 1',
    // Several at once.
    'SELECT 1; SELECT 2',
    'EXPLAIN SELECT 1; SELECT 2',
    'EXPLAIN ANALYZE SELECT 1; SELECT 2',
    "SELECT 1; COPY pages TO '{out}/x.csv'",
    'SELECT 1 /* ; */ ; DROP VIEW pages',
  ])('%s', async sql => {
    const before = statSync(table)
    const content = readFileSync(table)
    await expect(run(sql)).rejects.toThrow(ConfigError)
    await expect(run(sql)).rejects.toThrow(/^[^\n]+(\n[^\n]+)?$/)
    expect(readdirSync(outside)).toEqual([])
    expect(statSync(table).mtimeMs).toBe(before.mtimeMs)
    expect(readFileSync(table).equals(content)).toBe(true)
    expect(asked).toBe(0)
    expect(await run('SELECT count(*) AS n FROM pages')).toEqual([{ n: 1 }])
  })

  it('says so in one clear line', async () => {
    await expect(run("COPY pages TO '{out}/x.csv'")).rejects.toThrow(
      'only one SELECT at a time is allowed here: query reads the crawl and changes nothing',
    )
    await expect(run('SELECT 1; SELECT 2')).rejects.toThrow(
      'only one SELECT at a time is allowed here: query reads the crawl and changes nothing',
    )
    await expect(run("SELECT * FROM read_csv('/etc/passwd')")).rejects.toThrow(
      'read_csv(...) is not allowed here: query reads the tables of the crawl only',
    )
    expect(existsSync(join(outside, 'x.csv'))).toBe(false)
  })
})

describe('a result', () => {
  it('is never cut short in silence', async () => {
    const boom = "SELECT CASE WHEN range = 500000 THEN error('boom') ELSE 'x' END AS v FROM range(1000000)"
    await expect(run(boom)).rejects.toThrow(/boom/)
    const late = "SELECT CASE WHEN range < 700000 THEN '1' ELSE 'x' END::INTEGER AS v FROM range(1000000)"
    let rows = 0
    const read = async () => {
      for await (const _ of tables.query(late)) rows++
    }
    await expect(read()).rejects.toThrow(/^Conversion Error: Could not convert string 'x' to INT32/)
    expect(rows).toBeGreaterThan(0)
  })

  it('keeps the order that was asked for', async () => {
    let last = Number.POSITIVE_INFINITY
    let rows = 0
    for await (const { n } of tables.query('SELECT range AS n FROM range(300000) ORDER BY n DESC')) {
      expect(Number(n)).toBeLessThan(last)
      last = Number(n)
      rows++
    }
    expect(rows).toBe(300_000)
  })

  it('can have columns of any name, or no row', async () => {
    expect(await run('SELECT 1 AS is_end, true AS x')).toEqual([{ is_end: 1, x: true }])
    expect(await run('SELECT title FROM pages WHERE false')).toEqual([])
    expect(await run('SELECT NULL AS a')).toEqual([{ a: null }])
  })

  it('is explained when memory is short', async () => {
    const small = await openTables(crawl.dir, { memoryBytes: 40 * 1024 * 1024, threads: 1 })
    const greedy = 'SELECT list(range), list(hash(range)) FROM range(20000000)'
    const read = async () => {
      for await (const _ of small.query(greedy)) return
    }
    await expect(read()).rejects.toThrow(/^Out of Memory Error: |stopped halfway/)
    await small.close()
  })
})

describe('SQL that is wrong', () => {
  it.each([
    ['', 'the query is empty'],
    ['  ;', 'the query is empty'],
    [';; -- nothing', 'the query is empty'],
    ['/* nothing */', 'the query is empty'],
    ['EXPLAIN ; -- nothing', 'the SQL is not understood: syntax error at end of input'],
    ["SELECT 'open", 'the SQL is not understood: unterminated quoted string at or near "\'open"'],
    ['SELECT "open ; --', /^the SQL is not understood: unterminated quoted identifier/],
    ['SELECT 1 /* open', /^the SQL is not understood: unterminated \/\* comment/],
    ['SELECT 1\0', 'the SQL holds a NUL character'],
    ['SELECT 1; x', 'the SQL is not understood: syntax error at or near "x"'],
    ['SELEC 1', /^the SQL is not understood: syntax error at or near "SELEC"$/],
    [
      'SELECT titel FROM pages',
      /^Binder Error: Referenced column "titel" not found.* Candidate bindings: "title"/,
    ],
    [
      'SELECT * FROM page',
      /^Catalog Error: Table with name page does not exist! The tables are pages, links and sites$/,
    ],
    ['SELECT 1 WHERE url = $1', /^Binder Error/],
    ["SELECT 'x'::INTEGER", /^Conversion Error: Could not convert string 'x' to INT32/],
    ['SELECT url::INTEGER FROM pages', /^Conversion Error/],
  ])('is explained in one line: %s', async (sql, message) => {
    await expect(run(sql)).rejects.toThrow(message)
    await expect(run(sql)).rejects.toThrow(ConfigError)
  })
})
