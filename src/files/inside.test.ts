import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { UntrustedError } from '../config/index.js'
import { writeFileAtomically } from './durable.js'
import { pathInside, readTextFile, refuseLinks } from './inside.js'

let folder = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'inside-'))
  mkdirSync(join(folder, 'tables/pages'), { recursive: true })
  writeFileSync(join(folder, 'tables/pages/1.parquet'), 'x')
})

test('a stored name is a path below the directory, there or not', () => {
  for (const name of ['tables/pages/1.parquet', 'tables/pages/2.parquet', 'a/..b', 'crawl.json'])
    expect(pathInside(folder, name)).toBe(join(folder, name))
})

test.each([
  '',
  '.',
  '..',
  '../x',
  'tables/../../x',
  '/etc/passwd',
  'a//b',
  'a/./b',
  'a\\..\\b',
  'C:x',
  'a\0b',
  'a/',
])('a name that could lead elsewhere is refused: %j', name => {
  expect(() => pathInside(folder, name)).toThrow(UntrustedError)
})

test('a link on the way to a file is refused, wherever it leads', () => {
  symlinkSync(join(folder, 'tables'), join(folder, 'inner'))
  expect(() => pathInside(folder, 'inner/pages/1.parquet')).toThrow(/inner is a symbolic link/)
  expect(() => refuseLinks(folder)).toThrow(/inner is a symbolic link/)
})

test('a directory of files and folders is accepted, also named by a link', () => {
  const link = join(mkdtempSync(join(tmpdir(), 'link-')), 'link')
  symlinkSync(folder, link)
  expect(() => refuseLinks(link)).not.toThrow()
})

test('a link that comes after the search is not followed by reading or writing', () => {
  const victim = join(mkdtempSync(join(tmpdir(), 'victim-')), 'file')
  writeFileSync(victim, 'kept')
  symlinkSync(victim, join(folder, 'report.json.tmp'))
  expect(() => writeFileAtomically(join(folder, 'report.json'), 'new')).toThrow(/ELOOP/)
  symlinkSync(victim, join(folder, 'crawl.json'))
  expect(() => readTextFile(join(folder, 'crawl.json'))).toThrow(/ELOOP/)
  expect(readTextFile(victim)).toBe('kept')
})
