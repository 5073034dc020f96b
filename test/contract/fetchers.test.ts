import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { systemClock } from '../../src/compose/index.js'
import { type FetchLimits, fetchLimits } from '../../src/model/index.js'
import { BodyBudget } from '../../src/page/fetch/body/index.js'
import { CachingResolver, OriginResolver } from '../../src/page/fetch/dns/index.js'
import { HttpFetcher } from '../../src/page/fetch/index.js'
import { ArchiveReader, buildIndex, indexFile } from '../../src/page/source/archive/index.js'
import { DirectoryReader } from '../../src/page/source/directory/index.js'
import { LocalFetcher } from '../../src/page/source/local/index.js'
import { gzipRecord } from '../kit/made-warc.js'
import type { ManualClock } from '../kit/manual-clock.js'
import { arrived, type RawServer, until } from '../kit/raw-server.js'
import { MODIFIED, pageServer, slowServer } from '../kit/stored-pages.js'
import { fetcherContract, type OpenedSource, type StoredPage } from './fetcher-contract.js'

const SLOW: StoredPage = {
  path: '/slow.html',
  body: Buffer.alloc(2_000_000, '<p>slow</p>'),
  type: 'text/html',
}

function http(
  server: RawServer,
  options: { limits?: Partial<FetchLimits>; clock?: ManualClock; site?: string },
) {
  const { limits, clock = systemClock, site } = options
  const resolver = new CachingResolver({ clock: systemClock })
  const origin = `http://127.0.0.1:${server.port}`
  const fetcher = new HttpFetcher({
    clock,
    userAgent: 'test/1',
    ...(limits === undefined ? {} : { limits }),
    ...(site === undefined
      ? { resolver, allowPrivate: true }
      : { resolver: new OriginResolver(origin, resolver), secure: false }),
    connections: 100,
    connectionsPerSite: 100,
  })
  return opened(
    fetcher,
    site ?? origin,
    () => begunAt(server),
    () => server.close(),
  )
}

async function begunAt(server: RawServer): Promise<void> {
  await until(() => server.requests.length > 0)
  await arrived()
}

function opened(
  fetcher: OpenedSource['fetcher'],
  origin: string,
  begun: () => Promise<void>,
  close: () => Promise<void> | void,
): OpenedSource {
  return {
    fetcher,
    url: path => origin + path,
    begun,
    close: async () => {
      await fetcher.close()
      await close()
    },
  }
}

fetcherContract({
  name: 'HTTP',
  missing: { status: 404 },
  open: async (pages, limits, clock) =>
    http(await pageServer(pages), { ...(limits && { limits }), ...(clock && { clock }) }),
  openSlow: async clock => http(await slowServer(), { clock }),
})

fetcherContract({
  name: 'another origin',
  missing: { status: 404 },
  open: async (pages, limits, clock) =>
    http(await pageServer(pages, 'site.test'), {
      site: 'https://site.test',
      ...(limits && { limits }),
      ...(clock && { clock }),
    }),
  openSlow: async clock => http(await slowServer(), { clock, site: 'https://site.test' }),
})

function directory(pages: readonly StoredPage[], limits: Partial<FetchLimits> = {}, clock?: ManualClock) {
  const root = mkdtempSync(join(tmpdir(), 'orb-directory-'))
  for (const { path, body } of pages) {
    const file = join(root, decodeURIComponent(path))
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, body)
  }
  const tools = { clock: clock ?? systemClock, limits: fetchLimits(limits) }
  const budget = new BodyBudget(tools.limits.bodyBytesInFlight)
  const reader = new DirectoryReader('https://site.test/', root, tools.clock, tools.limits)
  const fetcher = new LocalFetcher(reader, { ...tools, budget })
  // The thread pool reads a large file: nothing of it arrives in the same turn of the event loop.
  return opened(
    fetcher,
    'https://site.test',
    async () => {},
    () => rmSync(root, { recursive: true }),
  )
}

fetcherContract({
  name: 'a directory',
  missing: { status: 404 },
  open: async (pages, limits, clock) => directory(pages, limits, clock),
  openSlow: async clock => directory([SLOW], {}, clock),
})

async function archive(pages: readonly StoredPage[], limits: Partial<FetchLimits> = {}, clock?: ManualClock) {
  const folder = mkdtempSync(join(tmpdir(), 'orb-archive-'))
  const records = pages.map(({ path, body, type }) => {
    const lines = `Content-Type: ${type}\r\nETag: "${body.length}"\r\nLast-Modified: ${MODIFIED}`
    const block = Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\n${lines}\r\n\r\n`), body])
    return gzipRecord({ type: 'response', url: `https://site.test${path}`, block })
  })
  writeFileSync(join(folder, 'a.warc.gz'), Buffer.concat(records))
  await buildIndex(folder, join(folder, 'indexes'))
  const tools = { clock: clock ?? systemClock, limits: fetchLimits(limits) }
  const budget = new BodyBudget(tools.limits.bodyBytesInFlight)
  const reader = new ArchiveReader(indexFile(join(folder, 'indexes'), folder), tools.clock, tools.limits)
  const fetcher = new LocalFetcher(reader, { ...tools, budget })
  return opened(
    fetcher,
    'https://site.test',
    async () => {},
    () => rmSync(folder, { recursive: true }),
  )
}

fetcherContract({
  name: 'an archive',
  missing: { code: 'NOT_ARCHIVED' },
  open: archive,
  // More than is inflated at once.
  openSlow: clock => archive([{ ...SLOW, body: Buffer.alloc(6_000_000, '<p>slow</p>') }], {}, clock),
})
