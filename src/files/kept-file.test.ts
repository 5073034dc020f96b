import { execFileSync, spawnSync } from 'node:child_process'
import { closeSync, openSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import Database from 'libsql'
import { expect, it } from 'vitest'
import { inDirectory } from '../../test/kit/store-samples.js'
import { copyKept, openKept } from './kept-file.js'

/** Another process that wants to write to the same database. */
const WRITER = `const db = new (require('libsql'))(process.argv[1], { timeout: 0 }); db.exec('BEGIN IMMEDIATE')`
const canWrite = (path: string) => spawnSync(process.execPath, ['-e', WRITER, path]).status === 0

const MIB = 1024 * 1024
/** Of a length that no piece is a multiple of, so that bytes in a wrong place show. */
const content = (bytes: number) => Buffer.alloc(bytes, 'a piece of 29 bytes to repeat')

it.each([0, 1, MIB, MIB + 1, 3 * MIB - 1])('a file of %i bytes is copied as it is', bytes =>
  inDirectory(directory => {
    const [path, copy] = [join(directory, 'a'), join(directory, 'b')]
    writeFileSync(path, content(bytes))
    writeFileSync(copy, 'what was there before, and longer'.repeat(9))
    copyKept(path, copy)
    expect(readFileSync(copy).equals(content(bytes))).toBe(true)
    // A second time, from the descriptor that was kept, and after it has grown.
    writeFileSync(path, 'more', { flag: 'a' })
    copyKept(path, copy)
    expect(readFileSync(copy).equals(Buffer.concat([content(bytes), Buffer.from('more')]))).toBe(true)
  }),
)

it('reading and copying a database leaves the locks that this process has on it', () =>
  inDirectory(directory => {
    const path = join(directory, 'ledger.db')
    const db = new Database(path)
    db.exec('CREATE TABLE t (a)')
    expect(canWrite(path)).toBe(true)
    db.exec('BEGIN IMMEDIATE')
    expect(canWrite(path)).toBe(false)
    openKept(path)
    copyKept(path, join(directory, 'copy.db'))
    expect(canWrite(path)).toBe(false)
    // What the kept descriptor is there to prevent.
    closeSync(openSync(path, 'r'))
    expect(canWrite(path)).toBe(true)
    db.close()
  }))

it('one descriptor is kept for a file by whatever name, and another one for the file that takes its place', () =>
  inDirectory(directory => {
    const [path, other, moved] = ['a', 'b', 'c'].map(name => join(directory, name))
    writeFileSync(path, 'first')
    const first = openKept(path)
    expect(openKept(path)).toBe(first)
    renameSync(path, moved)
    expect(openKept(moved)).toBe(first)
    writeFileSync(other, 'second')
    renameSync(other, path)
    expect(openKept(path)).not.toBe(first)
    copyKept(path, other)
    expect(readFileSync(other, 'utf8')).toBe('second')
  }))

it('a symbolic link is neither read nor written', () =>
  inDirectory(directory => {
    const [path, link] = [join(directory, 'a'), join(directory, 'link')]
    writeFileSync(path, 'precious')
    symlinkSync(path, link)
    expect(() => openKept(link)).toThrow(/ELOOP/)
    writeFileSync(join(directory, 'other'), 'other')
    expect(() => copyKept(join(directory, 'other'), link)).toThrow(/ELOOP/)
    expect(readFileSync(path, 'utf8')).toBe('precious')
  }))

/**
 * With a limit in its last piece: the system takes what fits and says so, and only the next write would fail.
 */
const CUT_SHORT = `
const { copyKept } = await import(new URL('./kept-file.ts', process.env.SOURCES))
try {
  copyKept(process.env.FROM, process.env.TO)
  console.log('copied')
} catch (error) {
  console.log(error.code)
}
`

it('a disk without room for all of it is an error, not a shorter copy', () =>
  inDirectory(directory => {
    const [path, script] = [join(directory, 'a'), join(directory, 'script.mjs')]
    writeFileSync(path, content(3_000))
    writeFileSync(script, CUT_SHORT)
    const tsx = pathToFileURL(join(process.cwd(), 'node_modules/tsx/dist/esm/index.mjs')).href
    const said = execFileSync(
      'bash',
      ['-c', `trap '' XFSZ; ulimit -f 2; exec "$0" --import "$1" "$2"`, process.execPath, tsx, script],
      {
        env: {
          ...process.env,
          ...{ FROM: path, TO: join(directory, 'b'), SOURCES: import.meta.url, TSX_DISABLE_CACHE: '1' },
        },
        encoding: 'utf8',
      },
    )
    expect(said.trim()).toBe('EFBIG')
  }))
