import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { WARCParser } from 'warcio'
import { readLinks, readPages } from '../../../test/kit/row-logs.js'
import { inDirectory, sampleExchange, sampleRow } from '../../../test/kit/store-samples.js'
import { systemClock } from '../../compose/index.js'
import { SeededRandom } from '../../model/index.js'
import { DirectoryPackStore } from './directory-pack-store.js'
import { ownedFile } from './file-names.js'
import { PackBuilder } from './pack-builder.js'
import type { StoredFile } from './pack-store.js'
import { type Holder, recover } from './truncate-to-committed.js'
import { warcRecords } from './warc/index.js'

const owner = { crawl: 'crawl', incarnation: 3 }
const records = warcRecords({ codec: 'gzip', level: 1 }, new SeededRandom(3))

function packOf(id: string, urls: readonly string[]) {
  const builder = new PackBuilder({ agent: 'a', records, tables: true })
  for (const url of urls) {
    const exchange = sampleExchange({ url, rawBody: Buffer.from(url) })
    builder.add({
      leaseKey: 'c',
      row: sampleRow({ url, text: new Uint8Array(0) }),
      exchange,
      links: { targets: [`${url}/next`], kinds: [1] },
    })
  }
  return builder.toPack(id)
}

interface Crashed {
  /** Lengths after the first pack and after the second. */
  readonly first: ReadonlyMap<string, number>
  readonly second: ReadonlyMap<string, number>
  /** Bytes of each file, by name, as the process left them. */
  readonly files: ReadonlyMap<string, Buffer>
}

/** Two packs stored, then the process is gone without closing anything. */
async function crash(directory: string): Promise<Crashed> {
  const store = new DirectoryPackStore({ directory, owner, clock: systemClock, records, info: {} })
  const lengths: Map<string, number>[] = []
  const append = async (id: string, urls: string[]): Promise<readonly StoredFile[]> => {
    const result = await store.append(packOf(id, urls))
    if (!result.ok) throw new Error(result.detail)
    lengths.push(new Map(result.files.map(({ name, bytes }) => [name, bytes])))
    return result.files
  }
  await append('p1', ['http://b.org/1', 'http://a.org/2'])
  const files = await append('p2', ['http://c.org/3'])
  await store.abandon()
  const contents = files.map(({ name }) => [name, readFileSync(`${join(directory, name)}.open`)] as const)
  return { first: lengths[0], second: lengths[1], files: new Map(contents) }
}

/** Puts the files back as a crash left them, one of them only `bytes` long. */
function leave(directory: string, crashed: Crashed, torn?: string, bytes = 0): void {
  for (const folder of ['archive', 'tables/pages', 'tables/links']) {
    rmSync(join(directory, folder), { recursive: true, force: true })
    mkdirSync(join(directory, folder), { recursive: true })
  }
  for (const [name, content] of crashed.files)
    writeFileSync(`${join(directory, name)}.open`, name === torn ? content.subarray(0, bytes) : content)
}

function expectCommitted(directory: string, crashed: Crashed, committed: ReadonlyMap<string, number>): void {
  for (const [name, content] of crashed.files) {
    const path = join(directory, name)
    const bytes = committed.get(name) ?? 0
    expect(existsSync(`${path}.open`)).toBe(false)
    if (!name.endsWith('.cdxj')) expect(readFileSync(path).equals(content.subarray(0, bytes))).toBe(true)
    else expect(sortedLines(readFileSync(path))).toEqual(sortedLines(content.subarray(0, bytes)))
  }
}

const sortedLines = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1').trimEnd().split('\n').sort()

describe('after a crash', () => {
  // Every byte where files are cut in place; a sample where they are copied, which is slow and the same
  // arithmetic.
  for (const [holder, step] of [
    ['gone', 1],
    ['unknown', 7],
  ] as const satisfies readonly [Holder, number][]) {
    it(`every file is cut to its committed length, wherever the last pack was torn (writer ${holder})`, () =>
      inDirectory(async directory => {
        const crashed = await crash(directory)
        for (const [name, content] of crashed.files) {
          const alone: Crashed = { ...crashed, files: new Map([[name, content]]) }
          const committedBytes = crashed.first.get(name) ?? 0
          const committed = new Map([[name, committedBytes]])
          for (let bytes = committedBytes; bytes <= content.length; bytes += step) {
            leave(directory, alone, name, bytes)
            const { cut, removed, damaged } = recover({ directory, owner, committed, holder })
            expect({ removed, damaged }).toEqual({ removed: [], damaged: [] })
            expect(cut[0]?.cutBytes ?? 0).toBe(bytes - committedBytes)
            expectCommitted(directory, alone, committed)
          }
        }
      }))
  }

  it('what was committed is kept whole and can be read', () =>
    inDirectory(async directory => {
      const crashed = await crash(directory)
      leave(directory, crashed)
      const { cut, removed, damaged } = recover({
        directory,
        owner,
        committed: crashed.second,
        holder: 'gone',
      })
      expect({ cut, removed, damaged }).toEqual({ cut: [], removed: [], damaged: [] })
      expectCommitted(directory, crashed, crashed.second)
      const [warc, , pages, links] = crashed.files.keys()
      const types: string[] = []
      for await (const record of new WARCParser([readFileSync(join(directory, warc))]))
        types.push(record.warcType)
      expect(types.filter(type => type === 'response')).toHaveLength(3)
      expect(readPages(join(directory, pages), crashed.second.get(pages) ?? 0)).toHaveLength(3)
      expect(readLinks(join(directory, links), crashed.second.get(links) ?? 0)).toHaveLength(3)
    }))

  it('running it again changes nothing, also after it was interrupted', () =>
    inDirectory(async directory => {
      const crashed = await crash(directory)
      for (const holder of ['gone', 'unknown'] as const) {
        leave(directory, crashed)
        recover({ directory, owner, committed: crashed.first, holder })
        // Interrupted between giving the copy its name and removing the original.
        for (const [name, content] of crashed.files) writeFileSync(`${join(directory, name)}.open`, content)
        const [warc] = crashed.files.keys()
        writeFileSync(`${join(directory, warc)}.tmp`, 'half a copy')
        const again = recover({ directory, owner, committed: crashed.first, holder })
        expect(again).toEqual({ cut: [], removed: [], damaged: [] })
        expectCommitted(directory, crashed, crashed.first)
        expect(existsSync(`${join(directory, warc)}.tmp`)).toBe(false)
      }
    }))

  it('a writer that wakes up again writes where nobody looks', () =>
    inDirectory(async directory => {
      const crashed = await crash(directory)
      leave(directory, crashed)
      const [warc] = crashed.files.keys()
      const zombie = openSync(`${join(directory, warc)}.open`, 'r+')
      recover({ directory, owner, committed: crashed.first, holder: 'unknown' })
      writeSync(zombie, 'boo', 0)
      writeSync(zombie, 'boo', crashed.first.get(warc) ?? 0)
      closeSync(zombie)
      expectCommitted(directory, crashed, crashed.first)
    }))

  it('a crawl that was renamed since has its listed files cut all the same', () =>
    inDirectory(async directory => {
      const crashed = await crash(directory)
      leave(directory, crashed)
      const renamed = { ...owner, crawl: 'another name' }
      recover({ directory, owner: renamed, committed: crashed.first, holder: 'gone' })
      expectCommitted(directory, crashed, crashed.first)
    }))

  it('files of which nothing was committed go; files of others stay', () =>
    inDirectory(async directory => {
      const crashed = await crash(directory)
      leave(directory, crashed)
      const others = [
        'archive/crawl-33-00001.warc.gz.open',
        'archive/notes.txt',
        'tables/pages/4-00001.rows.open',
      ]
      for (const name of [...others, 'tables/pages/3-merged.parquet'])
        writeFileSync(join(directory, name), 'x')
      const { removed } = recover({ directory, owner, committed: new Map(), holder: 'gone' })
      expect(removed.map(({ name }) => name).sort()).toEqual([...crashed.files.keys()].sort())
      for (const name of others) expect(existsSync(join(directory, name))).toBe(true)
      expect(readdirSync(join(directory, 'tables/pages')).sort()).toEqual([
        '3-merged.parquet',
        '4-00001.rows.open',
      ])
    }))

  it('committed bytes that are not there are reported, not invented', () =>
    inDirectory(async directory => {
      const crashed = await crash(directory)
      const [warc, cdxj, pages] = crashed.files.keys()
      leave(directory, crashed, warc, 10)
      rmSync(`${join(directory, pages)}.open`)
      writeFileSync(`${join(directory, cdxj)}.open`, '')
      const { damaged } = recover({ directory, owner, committed: crashed.first, holder: 'gone' })
      expect(damaged.map(({ name, foundBytes }) => [name, foundBytes]).sort()).toEqual(
        [
          [warc, 10],
          [cdxj, 0],
          [pages, 0],
        ].sort(),
      )
      expect(statSync(`${join(directory, warc)}.open`).size).toBe(10)
    }))

  it('a closed file with more than was committed is cut too', () =>
    inDirectory(async directory => {
      const crashed = await crash(directory)
      leave(directory, crashed)
      recover({ directory, owner, committed: crashed.second, holder: 'gone' })
      const [warc] = crashed.files.keys()
      appendFileSync(join(directory, warc), 'from a ledger that was put back')
      const { cut } = recover({ directory, owner, committed: crashed.second, holder: 'unknown' })
      expect(cut).toHaveLength(1)
      expectCommitted(directory, crashed, crashed.second)
    }))

  it('files are told apart by whose they are', () => {
    const kindOf = (path: string) => ownedFile(owner, dirname(path), path.slice(dirname(path).length + 1))
    expect(kindOf('archive/crawl-3-00001.warc.gz.open')).toEqual({
      name: 'archive/crawl-3-00001.warc.gz',
      kind: 'warc',
      temporary: false,
    })
    expect(kindOf('archive/crawl-3-123456.warc.zst')?.kind).toBe('warc')
    expect(kindOf('archive/crawl-3-00001.cdxj.run0.tmp')).toMatchObject({ kind: 'cdxj-log', temporary: true })
    expect(kindOf('tables/links/3-00002.rows')?.kind).toBe('links-log')
    for (const foreign of [
      'archive/crawl-31-00001.cdxj',
      'archive/x-3-00001.cdxj',
      'tables/pages/3-00001.parquet',
    ])
      expect(kindOf(foreign)).toBeNull()
  })
})
