/** What is asked at the end of a run must not read the row of every site that is only known. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { SqliteDatabase } from './sqlite-database.js'
import { SqliteCore } from './sqlite-ledger.js'

let folder: string
let db: SqliteDatabase
/** Statements since the last look at them. */
let said: string[]
let core: SqliteCore

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-totals-'))
  db = SqliteDatabase.open(join(folder, 'ledger.db'), { create: true })
  said = []
  const noted = new Proxy(db, {
    get(target, name) {
      const value = Reflect.get(target, name, target) as unknown
      if (typeof value !== 'function') return value
      return (...args: unknown[]) => {
        if (name === 'all' || name === 'first' || name === 'run') said.push(String(args[0]))
        return (value as (...given: unknown[]) => unknown).apply(target, args)
      }
    },
  })
  core = new SqliteCore(folder, noted)
})

afterEach(() => {
  core.close()
  rmSync(folder, { recursive: true, force: true })
})

function call(method: 'crawlState' | 'sites' | 'tryEnd' | 'totals', ...args: unknown[]): unknown {
  said = []
  const [result] = core.run([{ method, args }])
  if (result.status === 'rejected') throw result.reason
  return result.value
}

/** Looks at all rows of `cell`, at all behind one, or at all entries of an index, in what was said last. */
function looksAtAll(): string[] {
  return said
    .filter(sql => /^(SELECT|WITH)/.test(sql))
    .flatMap(sql => db.all(`EXPLAIN QUERY PLAN ${sql}`).map(([, , , step]) => String(step)))
    .filter(step => /^SCAN (cell|c|whole)\b|^SEARCH (cell|c) .*\(cell>\?\)$/.test(step))
}

it('sites that were crawled are found without a look at those that are only known', () => {
  expect(call('sites', '', 1_000, 'crawled')).toEqual([])
  expect(looksAtAll()).toEqual([])
})

it('whether the crawl is open is found without reading its sites', () => {
  expect(call('crawlState')).toEqual({ open: true, finishReason: null, lastIncarnation: 0 })
  expect(looksAtAll()).toEqual([])
})

it('whether the crawl may end is found without counting its sites', () => {
  expect(call('tryEnd')).toBe('done')
  expect(looksAtAll()).toEqual([])
})

it('the totals look at every site once', () => {
  expect(call('totals')).toMatchObject({ sites: 0, backlog: 0 })
  // To count the rows of a table SQLite adds up what its pages say.
  const isCount = (step: string) => step.includes('USING COVERING INDEX')
  expect(looksAtAll().filter(step => !isCount(step))).toHaveLength(1)
  expect(looksAtAll().filter(isCount)).toHaveLength(1)
})
