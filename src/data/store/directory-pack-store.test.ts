import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CDXIndexer, WARCParser } from 'warcio'
import { readLinks, readPages } from '../../../test/kit/row-logs.js'
import { inDirectory, SAMPLE_TIME, sampleExchange, sampleRow } from '../../../test/kit/store-samples.js'
import { systemClock } from '../../compose/index.js'
import { digestFile } from '../../files/index.js'
import { SeededRandom } from '../../model/index.js'
import { responseOf, WarcReader } from '../../page/source/warc/index.js'
import { DirectoryPackStore, type DirectoryPackStoreOptions } from './directory-pack-store.js'
import { completeLogs, locateFile } from './file-names.js'
import { PackBuilder, type PackEntry } from './pack-builder.js'
import type { PackBytes, StoredFile } from './pack-store.js'
import { warcInfo, warcRecords } from './warc/index.js'

const owner = { crawl: 'my crawl/é', incarnation: 7 }
const records = warcRecords({ codec: 'gzip', level: 1 }, new SeededRandom(2))

function newStore(directory: string, options: Partial<DirectoryPackStoreOptions> = {}): DirectoryPackStore {
  return new DirectoryPackStore({
    directory,
    owner,
    clock: { ...systemClock, now: () => SAMPLE_TIME },
    records,
    info: warcInfo({
      software: 'orbweaver/test',
      robots: 'strict',
      userAgent: 'orbweaver/test',
      extra: { operator: 'me' },
    }),
    ...options,
  })
}

function page(number: number, cell = 'example.org'): PackEntry {
  const url = `http://${cell}/page-${number}`
  return {
    leaseKey: cell,
    row: sampleRow({ url, title: `page ${number}` }),
    exchange: sampleExchange({ url, rawBody: Buffer.from(`<title>${number}</title>`.repeat(50)) }),
    links: { targets: [`http://other.org/${number}`, 'http://third.org/'], kinds: [1, 65] },
  }
}

function packOf(id: string, entries: readonly PackEntry[], dropped: readonly string[] = []): PackBytes {
  const builder = new PackBuilder({ agent: 'agent-1', records, tables: true })
  for (const entry of entries) builder.add(entry)
  for (const cell of dropped) builder.drop(cell)
  return builder.toPack(id)
}

async function appended(store: DirectoryPackStore, pack: PackBytes): Promise<readonly StoredFile[]> {
  const result = await store.append(pack)
  if (!result.ok) throw new Error(result.detail)
  return result.files
}

const byKind = (files: readonly StoredFile[]) => new Map(files.map(file => [file.kind, file]))

/** Every page row of the files, with the body its WARC place leads to. */
async function pagesOf(
  directory: string,
  files: readonly StoredFile[],
): Promise<{ url: string; body: string }[]> {
  const pages: { url: string; body: string }[] = []
  for (const file of files.filter(({ kind }) => kind === 'pages-log')) {
    for (const { row, segment } of readPages(locateFile(directory, file.name) ?? '', file.bytes)) {
      const reader = await WarcReader.open(locateFile(directory, segment.warc) ?? '')
      const result = await reader.record(segment.baseOffset + row.warcOffset, row.warcLength)
      await reader.close()
      if (!result.ok) throw new Error(result.detail)
      expect(result.record.headers.get('warc-target-uri')).toBe(row.url)
      pages.push({ url: row.url, body: (await responseOf(result.record))?.body.toString() ?? '' })
    }
  }
  return pages
}

describe('a pack in a directory', () => {
  it('is on the disk with the length and the digest it says, and its rows lead to its records', () =>
    inDirectory(async directory => {
      const store = newStore(directory)
      const first = byKind(await appended(store, packOf('p1', [page(1), page(2, 'b.org')])))
      const second = byKind(await appended(store, packOf('p2', [page(3)])))
      expect([...second.keys()].sort()).toEqual(['cdxj-log', 'links-log', 'pages-log', 'warc'])
      for (const [kind, file] of second) {
        expect(file.name).toBe(first.get(kind)?.name)
        const path = `${join(directory, file.name)}.open`
        expect(statSync(path).size).toBe(file.bytes)
        expect(digestFile(path, kind, file.bytes).crc32).toBe(file.crc32)
      }
      expect((await pagesOf(directory, [...second.values()])).map(({ url }) => url)).toEqual([
        'http://example.org/page-1',
        'http://b.org/page-2',
        'http://example.org/page-3',
      ])
      const links = second.get('links-log')
      expect(readLinks(locateFile(directory, links?.name ?? '') ?? '', links?.bytes ?? 0)).toHaveLength(6)
      await store.close()
    }))

  it('can be taken back, and written again without a cell', () =>
    inDirectory(async directory => {
      const store = newStore(directory)
      const entries = [page(1, 'a.org'), page(2, 'b.org'), page(3, 'a.org'), page(4, 'c.org')]
      await appended(store, packOf('p1', entries))
      await store.undo()
      expect(readdirSync(join(directory, 'archive'))).toEqual([])
      expect(readdirSync(join(directory, 'tables/pages'))).toEqual([])
      const kept = await appended(store, packOf('p2', entries, ['a.org']))
      await appended(store, packOf('p3', entries, ['b.org', 'c.org']))
      await store.undo()
      for (const file of kept) expect(statSync(`${join(directory, file.name)}.open`).size).toBe(file.bytes)
      const last = await appended(store, packOf('p4', [page(9)]))
      const pages = await pagesOf(directory, last)
      expect(pages.map(({ url }) => url)).toEqual([
        'http://b.org/page-2',
        'http://c.org/page-4',
        'http://example.org/page-9',
      ])
      expect(pages[1].body).toContain('<title>4</title>')
      const { files } = await store.close()
      for (const { name, kind, bytes, crc32 } of files)
        expect(digestFile(join(directory, name), kind, bytes).crc32).toBe(crc32)
      const reader = await WarcReader.open(join(directory, byKind(files).get('warc')?.name ?? ''))
      const lines = readFileSync(join(directory, byKind(files).get('cdxj-log')?.name ?? ''), 'latin1')
      const indexed = lines.trimEnd().split('\n').map(parseLine)
      for (const { url, offset, length } of indexed) {
        const result = await reader.record(Number(offset), Number(length))
        expect(result.ok && result.record.headers.get('warc-target-uri')).toBe(url)
      }
      await reader.close()
      expect(indexed).toHaveLength(3)
    }))

  it('closes its files for good: WARCs that warcio reads, indexes as warcio makes them', () =>
    inDirectory(async directory => {
      const store = newStore(directory)
      const urls = [
        'http://www.Zebra.org/Path?b=2&a=1',
        'http://alpha.example.co.uk:8080/',
        'https://a.org/x%20y?',
        'http://10.1.2.3/',
      ]
      const entries = urls.map((url, i) => {
        const href = new URL(url).href
        return { ...page(i), row: sampleRow({ url: href }), exchange: sampleExchange({ url: href }) }
      })
      await appended(store, packOf('p1', entries))
      await appended(
        store,
        packOf('p2', [
          {
            ...page(8),
            revisit: {
              profile: 'server-not-modified',
              refersToUrl: 'http://a.org/',
              refersToDate: '',
              digest: 'sha1:X',
            },
          },
        ]),
      )
      const { files, problems } = await store.close()
      expect(problems).toEqual([])
      const warc = join(directory, byKind(files).get('warc')?.name ?? '')
      expect(basename(warc)).toBe('my_crawl_-7-00001.warc.gz')
      expect(readdirSync(join(directory, 'archive')).sort()).toEqual([
        'my_crawl_-7-00001.cdxj',
        'my_crawl_-7-00001.warc.gz',
      ])
      const ours = readFileSync(join(directory, byKind(files).get('cdxj-log')?.name ?? ''), 'latin1')
        .trimEnd()
        .split('\n')
      const theirs: string[] = []
      const indexer = new CDXIndexer({ format: 'cdxj' })
      for await (const line of indexer.iterIndex([
        { filename: basename(warc), reader: inOnePiece(readFileSync(warc)) },
      ]))
        theirs.push(indexer.serializeCDXJ(line).trimEnd())
      expect(ours).toEqual([...ours].sort())
      expect(ours.map(parseLine)).toEqual(theirs.sort().map(parseLine))
    }))

  it('begins each WARC with who wrote it, and names no machine', () =>
    inDirectory(async directory => {
      const store = newStore(directory)
      await appended(store, packOf('p1', [page(1)]))
      const { files } = await store.close()
      const bytes = readFileSync(join(directory, byKind(files).get('warc')?.name ?? ''))
      const parser = new WARCParser([bytes])
      const info = await parser.parse()
      expect(info?.warcType).toBe('warcinfo')
      expect(info?.warcHeader('WARC-Filename')).toBe('my_crawl_-7-00001.warc.gz')
      const text = await info?.contentText()
      expect(text).toContain('software: orbweaver/test\r\n')
      expect(text).toContain('operator: me\r\n')
      expect(text).not.toMatch(/hostname|ip:/)
    }))

  it('rolls a WARC before its size is exceeded; a larger pack gets a file of its own', () =>
    inDirectory(async directory => {
      const small = packOf('small', [page(1)])
      const large = packOf(
        'large',
        Array.from({ length: 20 }, (_, i) => page(i)),
      )
      const warcBytes = small.warc.length * 3 + 700
      const store = newStore(directory, { limits: { warcBytes } })
      const packs = [small, small, small, small, large, small]
      const all: StoredFile[] = []
      for (const pack of packs) all.push(...(await appended(store, pack)))
      await store.close()
      const names = readdirSync(join(directory, 'archive')).filter(name => name.endsWith('.warc.gz'))
      expect(names.length).toBeGreaterThan(3)
      for (const name of names) {
        const size = statSync(join(directory, 'archive', name)).size
        if (size > warcBytes) expect(size).toBeLessThan(large.warc.length + 700)
        expect(existsSync(join(directory, 'archive', name.replace('.warc.gz', '.cdxj')))).toBe(true)
      }
      const pages = await pagesOf(directory, [...byKind(all).values()])
      expect(pages).toHaveLength(25)
    }))

  it('rolls a log when it has rows enough; all but the newest are complete', () =>
    inDirectory(async directory => {
      const store = newStore(directory, { limits: { pageRows: 2, linkRows: 100 } })
      const files = new Map<string, StoredFile>()
      for (let i = 0; i < 5; i++)
        for (const file of await appended(store, packOf(`p${i}`, [page(i)]))) files.set(file.name, file)
      const listed = [...files.values()].map(file => ({ ...file, closed: false }))
      expect(completeLogs(listed, 'pages-log').map(({ name }) => name)).toEqual([
        'tables/pages/7-00001.rows',
        'tables/pages/7-00002.rows',
      ])
      for (const { name, bytes } of completeLogs(listed, 'pages-log'))
        expect(statSync(join(directory, name)).size).toBe(bytes)
      expect(completeLogs(listed, 'links-log')).toEqual([])
      expect(
        completeLogs(
          listed.map(file => ({ ...file, closed: true })),
          'links-log',
        ),
      ).toHaveLength(1)
      await store.close()
    }))

  it('without archive and tables is nothing, and touches nothing', () =>
    inDirectory(async directory => {
      const store = newStore(directory, { records: null })
      const builder = new PackBuilder({ agent: 'a', records: null, tables: false })
      builder.add(page(1))
      expect(await appended(store, builder.toPack('p'))).toEqual([])
      await store.close()
      expect(readdirSync(join(directory, 'archive'))).toEqual([])
    }))

  it('archives robots.txt without making a page of it, and refusals without a record', () =>
    inDirectory(async directory => {
      const store = newStore(directory)
      const refused: PackEntry = {
        leaseKey: 'a',
        row: sampleRow({ outcome: 'ROBOTS_DISALLOWED', status: 0 }),
      }
      const files = await appended(store, packOf('p', [{ ...page(1), inTables: false }, refused]))
      const pages = byKind(files).get('pages-log')
      const rows = readPages(locateFile(directory, pages?.name ?? '') ?? '', pages?.bytes ?? 0)
      expect(rows.map(({ row }) => row)).toEqual([{ ...refused.row, warcOffset: -1, warcLength: 0 }])
      expect(byKind(files).has('links-log')).toBe(false)
      expect(byKind(files).has('warc')).toBe(true)
      await store.close()
    }))

  it('that the disk does not take leaves nothing behind, and the next one goes elsewhere', () =>
    inDirectory(async directory => {
      const store = newStore(directory)
      const committed = await appended(store, packOf('p1', [page(1)]))
      // Where the next links log would be, something is in the way.
      const limited = newStore(directory, { owner: { ...owner, incarnation: 8 } })
      writeFileSync(join(directory, 'tables/links/8-00001.rows.open'), 'in the way')
      const failed = await limited.append(packOf('p2', [page(2)]))
      expect(failed).toMatchObject({ ok: false, code: 'DISK_FAILED' })
      expect(readdirSync(join(directory, 'archive')).filter(name => name.includes('-8-'))).toEqual([])
      const again = await appended(limited, packOf('p2', [page(2)]))
      expect((await pagesOf(directory, again)).map(({ url }) => url)).toEqual(['http://example.org/page-2'])
      await limited.close()
      await store.close()
      expect((await pagesOf(directory, committed)).map(({ url }) => url)).toEqual([
        'http://example.org/page-1',
      ])
    }))

  it('is written one at a time', () =>
    inDirectory(async directory => {
      const store = newStore(directory)
      const first = store.append(packOf('p1', [page(1)]))
      await expect(store.append(packOf('p2', [page(2)]))).rejects.toThrow(/one call/)
      await first
      await store.close()
    }))
})

async function* inOnePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** A CDXJ line as values; warcio writes its keys in another order. */
function parseLine(line: string): Record<string, string> {
  const [key, time, ...json] = line.split(' ')
  const fields: Record<string, string> = JSON.parse(json.join(' '))
  return { key, time, ...fields }
}
