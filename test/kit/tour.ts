/** A tour over a small web on loopback, and what a home reads of its parts; to import it is enough. */
import { afterEach } from 'vitest'
import { systemClock } from '../../src/compose/index.js'
import { type BundleManifest, newKeyPair, writeDiscoveryRow } from '../../src/migrate/bundle/index.js'
import { type ReadPart, ReturnWriter, readPart, Tour, type TourParts } from '../../src/migrate/tour/index.js'
import { Stop } from '../../src/model/index.js'
import { CachingResolver, StaticHosts } from '../../src/page/fetch/dns/index.js'
import { HttpFetcher } from '../../src/page/fetch/index.js'
import { space } from './frontier-space.js'
import { type SmallSite, SmallWeb } from './small-web.js'

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

const ORIGIN = 'http://a.test'
export const homeKeys = newKeyPair()
export const hostKeys = newKeyPair()

export const MANIFEST: BundleManifest = {
  id: '01'.repeat(16),
  home: homeKeys.publicKey,
  host: hostKeys.publicKey,
  origin: 'http://a.test',
  cell: 'a.test',
  epoch: 1,
  issued: 0,
  expires: 1,
  keywords: [],
  minKeywords: 1,
  maxDepth: -1,
  prefixes: [],
  maxPages: 1_000,
}

export async function sourceOf(site: SmallSite): Promise<{ web: SmallWeb; fetcher: HttpFetcher }> {
  const web = await SmallWeb.listen({ 'a.test': site })
  closers.push(() => web.close())
  const hosts = StaticHosts.parse([`a.test=127.0.0.1:${web.port}`])
  if (typeof hosts === 'string') throw new Error(hosts)
  const resolver = new CachingResolver({ clock: systemClock, hosts })
  const fetcher = new HttpFetcher({ clock: systemClock, resolver, userAgent: 'test/1', allowPrivate: true })
  closers.push(() => fetcher.close())
  return { web, fetcher }
}

export const row = (path: string, depth = 0) =>
  writeDiscoveryRow({ url: `${ORIGIN}${path}`, depth, hops: 0, score: 0, via: '' })

export interface TourResult {
  readonly end: string
  readonly parts: readonly ReadPart[]
  readonly web: SmallWeb
  /** Paths of the pages that came home, in order. */
  readonly kept: readonly string[]
  readonly left: readonly string[]
  readonly bytes: number
}

export async function tourOf(
  site: SmallSite,
  manifest: Partial<BundleManifest> = {},
  more: Partial<TourParts> & { readonly frontier?: string; readonly seen?: Uint8Array } = {},
): Promise<TourResult> {
  const { web, fetcher } = await sourceOf(site)
  const whole = { ...MANIFEST, ...manifest }
  const sealed: Buffer[] = []
  const out = new ReturnWriter(whole, hostKeys.privateKey, async part => void sealed.push(part))
  const tour = Tour.open({
    clock: systemClock,
    fetcher,
    bundle: {
      manifest: whole,
      frontier: Buffer.from(more.frontier ?? row('/')),
      seen: more.seen ?? Buffer.alloc(0),
    },
    space,
    limits: { pages: 1_000, readBytes: 1e9, delayMs: 0 },
    productToken: 'orbweaver',
    mayRead: () => true,
    signal: new Stop().signal,
    out,
    ...more,
  })
  if (typeof tour === 'string') throw new Error(tour)
  const end = await tour.run()
  const parts: ReadPart[] = []
  for (const part of sealed) {
    const found = await readPart(part, { ...boundsOf(parts.length + 1), bytes: part.length })
    if (typeof found === 'string') throw new Error(found)
    parts.push(found)
  }
  const pathOf = (url: string) => url.replace(ORIGIN, '')
  return {
    end,
    parts,
    web,
    kept: parts.flatMap(part => part.visits.map(visit => pathOf(visit.discovery.url))),
    left: parts.flatMap(part => part.links.map(link => pathOf(link.url))),
    bytes: sealed.reduce((sum, part) => sum + part.length, 0),
  }
}

export function boundsOf(number: number) {
  const { id: bundle, cell, epoch, host } = MANIFEST
  return { bundle, cell, epoch, host, number, origin: ORIGIN, bodyBytes: 1e6, bytes: 1e6, now: 9e12 }
}
