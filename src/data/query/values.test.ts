import { afterAll, beforeAll, expect, it } from 'vitest'
import { MadeCrawl } from '../../../test/kit/made-crawl.js'
import { openTables, type Tables } from './tables.js'

let crawl: MadeCrawl
let tables: Tables

beforeAll(async () => {
  crawl = new MadeCrawl()
  tables = await openTables(crawl.dir)
})

afterAll(async () => {
  await tables.close()
  await crawl.remove()
})

it.each([
  ['1', 1],
  ['9007199254740991', 9_007_199_254_740_991],
  ['9007199254740993', '9007199254740993'],
  ['-170141183460469231731687303715884105727::HUGEINT', '-170141183460469231731687303715884105727'],
  ['sum(2) FROM range(3)', 6],
  ['1.5', 1.5],
  ['12345678901234567890.5', '12345678901234567890.5'],
  ['0.1::DOUBLE', 0.1],
  ['true', true],
  ['NULL', null],
  ["'text'", 'text'],
  ["TIMESTAMP '2026-01-31 12:00:00'", '2026-01-31T12:00:00.000Z'],
  ["TIMESTAMP '2026-01-31 12:00:00.123456'", '2026-01-31T12:00:00.123456Z'],
  ["TIMESTAMP '1969-12-31 23:59:59.999999'", '1969-12-31T23:59:59.999999Z'],
  ["TIMESTAMPTZ '2026-01-31 12:00:00+02'", '2026-01-31T10:00:00.000Z'],
  ["TIMESTAMP_S '2026-01-31 12:00:00'", '2026-01-31T12:00:00.000Z'],
  ["TIMESTAMP_NS '2026-01-31 12:00:00.5'", '2026-01-31T12:00:00.500Z'],
  ["'infinity'::TIMESTAMP", 'infinity'],
  ["DATE '2026-01-31'", '2026-01-31'],
  ["TIME '12:00:01'", '12:00:01'],
  ['INTERVAL 90 MINUTE', '01:30:00'],
  ['[1, NULL, 3]', [1, null, 3]],
  ["{'a': 1, 'b': [DATE '2026-01-31']}", { a: 1, b: ['2026-01-31'] }],
  ["MAP {'k': 1}", { k: 1 }],
  ["'ab'::BLOB", 'YWI='],
  ["'happy'::ENUM('happy', 'sad')", 'happy'],
])('%s becomes a plain value', async (sql, expected) => {
  const rows: unknown[] = []
  for await (const row of tables.query(
    `SELECT ${sql.includes('FROM') ? sql.replace(' FROM', ' AS v FROM') : `${sql} AS v`}`,
  ))
    rows.push(row)
  expect(rows).toEqual([{ v: expected }])
})

it('keeps apart columns that have one name', async () => {
  const rows: unknown[] = []
  for await (const row of tables.query('SELECT 1 AS a, 2 AS a')) rows.push(row)
  expect(Object.values(rows[0] as object)).toEqual([1, 2])
})
