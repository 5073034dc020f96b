/** A host and a home over real sockets. */
import { type ClientRequest, request } from 'node:http'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { homeWith, hosted, idOf } from '../../../test/kit/hosted.js'
import { MANIFEST, row } from '../../../test/kit/tour.js'
import { systemClock } from '../../compose/index.js'
import { newKeyPair, sealBundle } from '../bundle/index.js'
import { HttpCarrier } from '../carrier/index.js'
import { BUNDLE_BYTES } from '../limits.js'
import { readAudit } from './audit-log.js'
import { allowHome } from './policy.js'

const site = (path: string) =>
  path === '/' ? '<a href=/a>a</a><a href=/b>b</a>' : path === '/robots.txt' ? null : `page ${path}`

const audit = (folder: string) => readAudit(join(folder, 'audit.jsonl')).entries
const paths = (parts: Awaited<ReturnType<typeof homeWith>>) =>
  parts.flatMap(part => part.visits.map(visit => visit.discovery.url.replace(MANIFEST.origin, '')))

async function get(url: string): Promise<{ status: number; type: string; text: string }> {
  const response = await fetch(url)
  const type = response.headers.get('content-type') ?? ''
  return { status: response.status, type, text: await response.text() }
}

describe('a home', () => {
  it('gets all pages of an allowed site, and the log says what left', async () => {
    const host = await hosted(site)
    const parts = await homeWith(host)
    expect(paths(parts)).toEqual(['/', '/a', '/b'])
    expect(host.web.askedOf('a.test')).toEqual(['a.test/', 'a.test/a', 'a.test/b'])
    const entries = audit(host.folder)
    expect(entries.map(({ event }) => event).sort()).toEqual(['accepted', 'ended', 'sent'])
    const ended = entries.find(({ event }) => event === 'ended')
    expect(ended).toMatchObject({ detail: 'done', pages: 3, kept: 3, bytes: 46, site: MANIFEST.origin })
  })

  it('gets every byte that the log says was sent', async () => {
    const host = await hosted(site)
    const sent = await host.carrier.send(await host.bundle())
    if (sent.is !== 'accepted') throw new Error(sent.why)
    const { tour } = sent.progress
    let { nonce } = sent.progress
    for (let state = ''; state !== 'ended'; ) {
      const progress = await host.carrier.renew({ tour, nonce, leftMs: 9_000, have: 0, stop: false })
      ;({ state, nonce } = progress!)
    }
    const bytes = [1, 1].map(number => host.carrier.part(tour, number, 1e6))
    const lengths = (await Promise.all(bytes)).map(part => part!.length)
    const logged = audit(host.folder).filter(({ event }) => event === 'sent')
    expect(logged.map(entry => entry.bytes)).toEqual(lengths)
    expect(idOf((await bytes[0])!)).toBe(logged[0]!.bundle)
  })

  it('is refused with a bundle that the host has accepted before', async () => {
    const host = await hosted(site)
    const bundle = await host.bundle()
    expect(await host.carrier.send(bundle)).toMatchObject({ is: 'accepted' })
    const again = { is: 'refused', why: 'this bundle was accepted before' }
    expect(await host.carrier.send(bundle)).toEqual(again)
    expect(audit(host.folder).map(({ event }) => event)).toEqual(['accepted', 'refused'])
  })

  it('is refused if the owner does not know it, and accepted as soon as he does', async () => {
    const host = await hosted(site)
    const stranger = newKeyPair()
    const [issued, expires] = [Date.now(), Date.now() + 60_000]
    const manifest = { ...MANIFEST, home: stranger.publicKey, host: host.host, issued, expires }
    const sections = { frontier: Buffer.from(row('/')), seen: Buffer.alloc(0) }
    const bundle = await sealBundle({ manifest, ...sections }, stranger.privateKey)
    expect(await host.carrier.send(bundle)).toMatchObject({ is: 'refused', why: /not allowed/ })
    allowHome(host.folder, stranger.publicKey, {})
    expect(await host.carrier.send(bundle)).toMatchObject({ is: 'accepted' })
  })

  it.each<[string, Parameters<Awaited<ReturnType<typeof hosted>>['bundle']>, RegExp]>([
    ['for an origin of somebody else', [{ origin: 'http://b.test' }], /not hosted here/],
    ['for another scheme', [{ origin: 'https://a.test' }], /not hosted here/],
    ['for another host', [{ host: newKeyPair().publicKey }], /another host/],
    ['that expired', [{ issued: 1, expires: 2 }], /expired/],
  ])('is refused with a bundle %s', async (_, [more, frontier], why) => {
    const host = await hosted(site)
    const sent = await host.carrier.send(await host.bundle(more, frontier))
    expect(sent).toMatchObject({ is: 'refused', why: expect.stringMatching(why) })
    expect(host.web.asked).toEqual([])
    expect(audit(host.folder)).toMatchObject([{ event: 'refused', detail: expect.stringMatching(why) }])
  })

  it('with one altered byte in its bundle is refused', async () => {
    const host = await hosted(site)
    const bundle = await host.bundle()
    bundle[bundle.length - 3]! ^= 1
    expect(await host.carrier.send(bundle)).toMatchObject({ is: 'refused' })
  })

  it('reads nothing before its first renewal, and nothing with one that somebody else has signed', async () => {
    const host = await hosted(site)
    const sent = await host.carrier.send(await host.bundle())
    if (sent.is !== 'accepted') throw new Error(sent.why)
    const { tour, nonce } = sent.progress
    const other = new HttpCarrier(systemClock, host.base.slice(0, -22), newKeyPair().privateKey)
    expect(await other.renew({ tour, nonce, leftMs: 9_000, have: 0, stop: false })).toBeNull()
    const unknown = 'ab'.repeat(16)
    expect(await host.carrier.renew({ tour: unknown, nonce, leftMs: 9_000, have: 0, stop: false })).toBeNull()
    expect(host.web.asked).toEqual([])
  })

  it('has one tour at a time; one of a higher epoch replaces that of its cell', async () => {
    const host = await hosted(site)
    expect(await host.carrier.send(await host.bundle({ epoch: 2 }))).toMatchObject({ is: 'accepted' })
    const busy = await host.carrier.send(await host.bundle({ cell: 'b.test' }))
    expect(busy).toMatchObject({ is: 'refused', why: 'a tour of this home is under way' })
    expect(await host.carrier.send(await host.bundle({ epoch: 1 }))).toMatchObject({ is: 'refused' })
    expect(paths(await homeWith(host, { epoch: 3 }))).toEqual(['/', '/a', '/b'])
    // Its parts were fetched, so nothing of it is left.
    expect(await host.carrier.send(await host.bundle({ cell: 'b.test' }))).toMatchObject({ is: 'accepted' })
  })

  it('that stops its tour gets what was read so far', async () => {
    const host = await hosted(path => `<a href=/${Number(path.slice(1)) + 1}>next</a>`)
    const sent = await host.carrier.send(await host.bundle())
    if (sent.is !== 'accepted') throw new Error(sent.why)
    const { tour } = sent.progress
    let { nonce, state } = sent.progress
    let judged = 0
    while (state !== 'ended') {
      const stop = judged > 20
      ;({ nonce, state, judged } = (await host.carrier.renew({ tour, nonce, leftMs: 9_000, have: 0, stop }))!)
    }
    const asked = host.web.asked.length
    expect(await host.carrier.part(tour, 1, 1e7)).not.toBeNull()
    expect(host.web.asked).toHaveLength(asked)
  })
})

describe('a host', () => {
  it('says who runs it and who may come, also in a browser', async () => {
    const { base, host } = await hosted(site)
    const card = await get(`${base}.json`)
    expect(JSON.parse(card.text)).toEqual({
      version: 1,
      host,
      name: 'Example & Sons',
      contact: 'mailto:owner@a.test',
      origins: [MANIFEST.origin],
    })
    const page = await get(`${base}/`)
    expect(page).toMatchObject({ status: 200, type: 'text/html; charset=utf-8' })
    expect(page.text).toContain('Example &#38; Sons')
    expect(page.text).toContain('the &#60;test&#62;')
    expect(page.text).toContain(MANIFEST.home)
  })

  it.each(['', '/x', '/tours', '/tours/x', `/tours/${'0'.repeat(32)}/parts/1`, '/tours/../../etc/passwd'])(
    'has nothing at %j',
    async path => {
      const { base } = await hosted(site)
      expect(await get(base + path)).toMatchObject({ status: 404, type: 'application/json' })
    },
  )

  it('reads no more of a bundle than allowed, whatever its length is said to be', async () => {
    const { base, carrier } = await hosted(site)
    const post = (headers: Record<string, number>, write: (asking: ClientRequest) => void) =>
      new Promise<number | string>(resolve => {
        const asking = request(`${base}/tours`, { method: 'POST', headers }, response => {
          response.resume()
          resolve(response.statusCode!)
        })
        asking.on('error', error => resolve((error as NodeJS.ErrnoException).code!))
        write(asking)
      })
    expect(await post({ 'content-length': BUNDLE_BYTES + 1 }, asking => asking.flushHeaders())).toBe(413)
    const chunk = Buffer.alloc(1024 * 1024)
    const endless = await post({}, function write(asking) {
      asking.write(chunk, error => !error && write(asking))
    })
    expect([413, 'ECONNRESET', 'EPIPE']).toContain(endless)
    expect(await carrier.card()).not.toBeNull()
  })

  it('that is not there is not waited for', async () => {
    const { carrier, server, bundle } = await hosted(site)
    const sealed = await bundle()
    await server.close()
    expect(await carrier.send(sealed)).toMatchObject({ is: 'failed' })
    expect(await carrier.card()).toBeNull()
    expect(await carrier.part('0'.repeat(32), 1, 10)).toBeNull()
  })
})
