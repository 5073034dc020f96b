import { readFileSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { expect, it } from 'vitest'
import { inDirectory } from '../../test/kit/store-samples.js'
import { CheckedFiles, compareFile, type ListedFile } from './checked-files.js'
import { digestFile } from './file-digest.js'

const CONTENT = Buffer.from('what was written')
const LISTED: ListedFile = { name: 'a', kind: 'pages', bytes: CONTENT.length, crc32: crc32(CONTENT) }
const LONG_AGO = new Date('2020-01-01T00:00:00Z')

function flip(path: string): void {
  const bytes = readFileSync(path)
  bytes[3] ^= 16
  writeFileSync(path, bytes)
}

it('a file is missing, short, altered, too long, or as it was written', () =>
  inDirectory(directory => {
    const path = join(directory, 'a')
    const what = (exact = true) => compareFile(path, LISTED, exact)?.what ?? 'sound'
    expect(what()).toBe('missing')
    writeFileSync(path, CONTENT)
    expect(what()).toBe('sound')
    writeFileSync(path, Buffer.concat([CONTENT, Buffer.from('tail')]))
    expect([what(), what(false)]).toEqual(['altered', 'sound'])
    flip(path)
    expect(what(false)).toBe('altered')
    truncateSync(path, 3)
    expect(what()).toBe('short')
  }))

it('what was found sound is not read again until size or time change; what is young is not remembered', () =>
  inDirectory(directory => {
    const path = join(directory, 'a')
    const check = () => {
      const checked = new CheckedFiles(directory)
      const problem = checked.check(path, LISTED)
      checked.save()
      return problem?.what ?? 'sound'
    }
    writeFileSync(path, CONTENT)
    expect(check()).toBe('sound')
    flip(path)
    expect(check()).toBe('altered')
    writeFileSync(path, CONTENT)
    utimesSync(path, LONG_AGO, LONG_AGO)
    expect(check()).toBe('sound')
    flip(path)
    utimesSync(path, LONG_AGO, LONG_AGO)
    // The file has the same size and time: only verify reads it.
    expect(check()).toBe('sound')
    utimesSync(path, LONG_AGO, new Date(LONG_AGO.getTime() + 1))
    expect(check()).toBe('altered')
    rmSync(path)
    expect(check()).toBe('missing')
  }))

it('nothing is remembered where the state folder cannot be written', () =>
  inDirectory(directory => {
    const path = join(directory, 'a')
    writeFileSync(path, CONTENT)
    const state = process.env.ORBWEAVER_STATE
    process.env.ORBWEAVER_STATE = path
    try {
      const checked = new CheckedFiles(directory)
      expect(checked.check(path, LISTED)).toBeNull()
      checked.save()
      expect(statSync(path).size).toBe(CONTENT.length)
    } finally {
      if (state === undefined) delete process.env.ORBWEAVER_STATE
      else process.env.ORBWEAVER_STATE = state
    }
  }))

it('the digest of an index is that of its lines in any order, however long they are', () =>
  inDirectory(directory => {
    const lines = Array.from({ length: 30_000 }, (_, i) => `${i} ${'x'.repeat(i % 300)}\n`)
    const digestOf = (content: string) => {
      const path = join(directory, 'index')
      writeFileSync(path, content)
      return digestFile(path, 'cdxj-log', content.length).crc32
    }
    const expected = lines.reduce((sum, line) => (sum + crc32(line)) >>> 0, 0)
    expect(digestOf(lines.join(''))).toBe(expected)
    expect(digestOf(lines.toReversed().join(''))).toBe(expected)
    expect(digestOf(lines.slice(1).join(''))).not.toBe(expected)
    const [long, rest] = ['y'.repeat(3_000_000), 'z\n']
    expect(digestOf(`${long}\n${rest}`)).toBe((crc32(`${long}\n`) + crc32(rest)) >>> 0)
  }))
