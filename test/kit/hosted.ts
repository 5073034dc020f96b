/** A host with a source on loopback, and a home that asks it; to import it is enough. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach } from 'vitest'
import { systemClock, systemRandom } from '../../src/compose/index.js'
import { type BundleManifest, type Progress, sealBundle } from '../../src/migrate/bundle/index.js'
import { HttpCarrier } from '../../src/migrate/carrier/index.js'
import { allowHome, HostServer, HostTours, initHost, openHost } from '../../src/migrate/host/index.js'
import { type ReadPart, readPart } from '../../src/migrate/tour/index.js'
import type { Clock } from '../../src/model/index.js'
import type { SmallSite, SmallWeb } from './small-web.js'
import { boundsOf, homeKeys, MANIFEST, row, sourceOf } from './tour.js'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

export interface Hosted {
  readonly folder: string
  readonly host: string
  readonly web: SmallWeb
  readonly tours: HostTours
  readonly server: HostServer
  readonly carrier: HttpCarrier
  /** `.well-known` of the host. */
  readonly base: string
  bundle(more?: Partial<BundleManifest>, frontier?: string): Promise<Buffer>
}

export async function hosted(site: SmallSite, clock: Clock = systemClock): Promise<Hosted> {
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-host-'))
  closers.push(() => rmSync(folder, { recursive: true, force: true }))
  const host = initHost(folder, 'Example & Sons', 'mailto:owner@a.test')
  allowHome(folder, homeKeys.publicKey, { name: 'the <test>' })
  const { web, fetcher } = await sourceOf(site)
  // The web is closed by its own kit: a tour ends with its fetcher.
  const source = { fetch: fetcher.fetch.bind(fetcher), resolve: fetcher.resolve.bind(fetcher) }
  const open = () => ({ ...source, setConnections: () => {}, close: async () => {} })
  const parts = {
    clock,
    random: systemRandom,
    folder: openHost(folder),
    sources: [{ origin: MANIFEST.origin, open }],
    productToken: 'orbweaver',
  }
  const tours = new HostTours(parts)
  const server = await HostServer.listen(parts, tours, '127.0.0.1', 0)
  closers.push(() => server.close())
  const origin = `http://127.0.0.1:${server.port}`
  let id = 0
  return {
    folder,
    host,
    web,
    tours,
    server,
    carrier: new HttpCarrier(systemClock, origin, homeKeys.privateKey),
    base: `${origin}/.well-known/orbweaver`,
    bundle: (more = {}, frontier = row('/')) => {
      const [issued, expires] = [clock.now(), clock.now() + 60_000]
      const manifest = {
        ...MANIFEST,
        id: (++id).toString(16).padStart(32, '0'),
        host,
        issued,
        expires,
        ...more,
      }
      const sections = { frontier: Buffer.from(frontier), seen: Buffer.alloc(0) }
      return sealBundle({ manifest, ...sections }, homeKeys.privateKey)
    },
  }
}

/** Sends a bundle and renews until the tour has ended; the parts, in order. */
export async function homeWith(
  { carrier, bundle, host }: Hosted,
  more: Partial<BundleManifest> = {},
): Promise<ReadPart[]> {
  const sent = await carrier.send(await bundle(more))
  if (sent.is !== 'accepted') throw new Error(sent.why)
  const parts: ReadPart[] = []
  for (let progress: Progress | null = sent.progress; ; ) {
    const { tour, nonce } = progress as Progress
    progress = await carrier.renew({ tour, nonce, leftMs: 60_000, have: parts.length, stop: false })
    if (progress === null) throw new Error('the renewal was refused')
    while (parts.length < progress.parts) {
      const bytes = await carrier.part(tour, parts.length + 1, 1e8)
      const bounds = { ...boundsOf(parts.length + 1), host, bundle: idOf(bytes!), bytes: 1e8 }
      const part = await readPart(bytes!, { ...bounds, ...more })
      if (typeof part === 'string') throw new Error(part)
      parts.push(part)
    }
    if (progress.state === 'ended' && parts.at(-1)?.manifest.end !== 'more') return parts
    await new Promise(resolve => setTimeout(resolve, 5))
  }
}

/** The id that a part claims. */
export function idOf(part: Buffer): string {
  return /"bundle":"([0-9a-f]{32})"/.exec(part.toString('latin1', 0, 500))![1]!
}
