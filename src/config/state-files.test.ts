import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, test, vi } from 'vitest'
import { pruneState, readStateFile, stateFile, touchStateFile, writeStateFile } from './state-files.js'

const DAY = 24 * 3_600_000
const NOW = Date.UTC(2026, 5, 1)
const MONTH_AGO = NOW - 31 * DAY

let state = ''
let directory = ''

beforeEach(() => {
  state = join(mkdtempSync(join(tmpdir(), 'state-')), 'orbweaver')
  directory = join(state, '..', 'crawl')
  mkdirSync(directory)
  vi.stubEnv('ORBWEAVER_STATE', state)
  return () => vi.unstubAllEnvs()
})

/** What is remembered of a place that was last used at `usedAt`. */
function remember(folder: 'directories' | 'checked', name: string, place: string, usedAt: number): string {
  const path = stateFile(folder, name)
  writeStateFile(path, { path: place })
  touchStateFile(path, usedAt)
  return path
}

test.each(['directories', 'checked'] as const)('what %s hold of a directory that is gone goes', folder => {
  const gone = remember(folder, 'gone', join(directory, 'gone'), MONTH_AGO)
  const there = remember(folder, 'there', directory, MONTH_AGO)
  pruneState(NOW)
  expect([gone, there].map(path => existsSync(path))).toEqual([false, true])
})

test('what was used within a month stays: its disk may be away', () => {
  const path = remember('directories', 'away', join(directory, 'gone'), NOW - 29 * DAY)
  pruneState(NOW)
  expect(existsSync(path)).toBe(true)
  pruneState(NOW + 2 * DAY)
  expect(existsSync(path)).toBe(false)
})

test('what is of no directory here stays: a crawl that is known by its ledger', () => {
  const path = remember('directories', 'named', 'example', MONTH_AGO)
  pruneState(NOW)
  expect(existsSync(path)).toBe(true)
})

test('it is looked for once a day at most', () => {
  pruneState(NOW)
  const path = remember('directories', 'gone', join(directory, 'gone'), MONTH_AGO)
  pruneState(NOW + DAY - 1)
  expect(existsSync(path)).toBe(true)
  pruneState(NOW + DAY + 1)
  expect(existsSync(path)).toBe(false)
})

test('what a killed process left goes, and so does what cannot be read', () => {
  const [draft, damaged] = ['a.json.1.tmp', 'b.json'].map(name => join(state, 'checked', name))
  mkdirSync(join(state, 'checked'), { recursive: true })
  writeFileSync(draft, JSON.stringify({ path: directory }))
  writeFileSync(damaged, '{')
  pruneState(NOW)
  for (const path of [draft, damaged]) touchStateFile(path, MONTH_AGO)
  pruneState(NOW + 2 * DAY)
  expect(readdirSync(join(state, 'checked'))).toEqual([])
})

test('a file is replaced as a whole, for this user alone, and nothing else is left beside it', () => {
  const path = remember('checked', 'a', 'first', NOW)
  writeStateFile(path, { path: 'second' })
  expect(readStateFile(path)).toEqual({ path: 'second' })
  expect(readdirSync(join(state, 'checked'))).toEqual(['a.json'])
  expect([statSync(join(state, 'checked')), statSync(path)].map(({ mode }) => mode & 0o777)).toEqual([
    0o700, 0o600,
  ])
  rmSync(path)
  mkdirSync(path)
  expect(() => writeStateFile(path, { path: 'third' })).toThrow(/EISDIR|ENOTEMPTY|EPERM/)
  expect(readdirSync(join(state, 'checked'))).toEqual(['a.json'])
})
