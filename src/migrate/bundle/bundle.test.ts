/** Bundles and parts of a return: what each says, and one bad one for each thing that can be wrong. */
import { describe, expect, it } from 'vitest'
import { BUNDLE_LIFE_MS, CLOCK_SKEW_MS } from '../limits.js'
import { type BundleManifest, openBundle, sealBundle } from './bundle.js'
import { isPublicKey, newKeyPair, readPrivateKey, signText, verifyText } from './keys.js'
import { openPart, type ReturnPartManifest, sealPart } from './return-part.js'

const home = newKeyPair()
const host = newKeyPair()
const NOW = Date.UTC(2026, 0, 2)
const NOTHING = Buffer.alloc(0)

const MANIFEST: BundleManifest = {
  id: 'ab'.repeat(16),
  home: home.publicKey,
  host: host.publicKey,
  origin: 'https://example.org',
  cell: 'example.org',
  epoch: 3,
  issued: NOW,
  expires: NOW + 60_000,
  keywords: ['health', 'care'],
  minKeywords: 1,
  maxDepth: -1,
  prefixes: [],
  maxPages: 1_000,
}

const bundleOf = (more: object = {}, seen = NOTHING) =>
  sealBundle({ manifest: { ...MANIFEST, ...more }, frontier: Buffer.from('x'), seen }, home.privateKey)
const open = async (bytes: Buffer, now = NOW + 1) => openBundle(bytes, host.publicKey, now)

describe('a bundle', () => {
  it('is opened by the host for which it is meant', async () => {
    const opened = await open(await bundleOf({}, Buffer.alloc(16, 7)))
    expect(opened).toMatchObject({ ok: true, manifest: MANIFEST })
    expect(opened.ok && [opened.frontier.toString(), opened.seen.length]).toEqual(['x', 16])
  })

  it.each<[string, object, string]>([
    ['for another host', { host: home.publicKey }, 'for another host'],
    ['that expired', { expires: NOW + 1 }, 'expired'],
    ['from the future', { issued: NOW + CLOCK_SKEW_MS + 2, expires: NOW + 2 * CLOCK_SKEW_MS }, 'future'],
    ['that is valid for years', { expires: NOW + BUNDLE_LIFE_MS + 1 }, 'valid for too long'],
    ['of a home that did not sign it', { home: newKeyPair().publicKey }, 'signature is wrong'],
    ['with an odd id', { id: '../../etc/passwd' }, 'its field id'],
    ['with a user in its origin', { origin: 'https://user@example.org' }, 'its field origin'],
    ['with a path in its origin', { origin: 'https://example.org/' }, 'its field origin'],
    ['with an origin that is no server', { origin: 'file://x' }, 'its field origin'],
    ['without a field', { epoch: undefined }, 'its field epoch'],
    ['with a field too many', { code: 'x' }, 'it has a field "code"'],
    ['with a number that is text', { maxPages: '7' }, 'its field maxPages'],
    ['with too many keywords', { keywords: Array.from({ length: 65 }, () => 'a') }, 'its field keywords'],
    ['with an empty keyword', { keywords: [''] }, 'its field keywords'],
  ])('%s is refused', async (_, more, why) => {
    const opened = await open(await bundleOf(more))
    expect(opened).toMatchObject({ ok: false, why: expect.stringContaining(why) })
  })

  it('with half a fingerprint is refused', async () => {
    expect(await open(await bundleOf({}, Buffer.alloc(12)))).toMatchObject({ ok: false })
  })
})

const PART: ReturnPartManifest = {
  bundle: MANIFEST.id,
  cell: MANIFEST.cell,
  epoch: MANIFEST.epoch,
  number: 1,
  end: 'more',
  judged: 4,
  kept: 2,
  readBytes: 9_000,
  gzipPerMille: 250,
}

const partOf = (more: object = {}) =>
  sealPart(
    {
      manifest: { ...PART, ...more },
      visits: Buffer.from('v'),
      exchanges: Buffer.from('e'),
      judged: NOTHING,
      links: Buffer.from('l'),
    },
    host.privateKey,
  )
const expected = { ...PART, host: host.publicKey, bytes: 100_000 }

describe('a part of a return', () => {
  it('is opened by the home that waits for it', async () => {
    const opened = await openPart(await partOf(), expected)
    expect(opened).toMatchObject({ ok: true, manifest: PART })
    expect(opened.ok && [opened.visits.toString(), opened.links.toString()]).toEqual(['v', 'l'])
  })

  it.each<[string, object]>([
    ['of another tour', { bundle: 'cd'.repeat(16) }],
    ['of another cell', { cell: 'example.com' }],
    ['of an older epoch', { epoch: 2 }],
    ['that was due before', { number: 2 }],
    ['with an end that does not exist', { end: 'maybe' }],
    ['with a negative count', { kept: -1 }],
  ])('%s is refused', async (_, more) => {
    expect(await openPart(await partOf(more), expected)).toMatchObject({ ok: false })
  })

  it('is refused from another host, or when it is longer than asked for', async () => {
    const part = await partOf()
    expect(await openPart(part, { ...expected, host: home.publicKey })).toMatchObject({ ok: false })
    expect(await openPart(part, { ...expected, bytes: part.length - 1 })).toMatchObject({ ok: false })
  })
})

describe('a key', () => {
  it('is read from its PEM, and has one spelling', () => {
    const pair = newKeyPair()
    expect(readPrivateKey(pair.pem)?.publicKey).toBe(pair.publicKey)
    expect(isPublicKey(pair.publicKey)).toBe(true)
    const last = pair.publicKey.at(-1)!
    const other = String.fromCharCode(last.charCodeAt(0) + 1)
    expect(isPublicKey(pair.publicKey.slice(0, -1) + other)).toBe(false)
  })

  it.each(['', 'not a key', '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----'])(
    'is not read from %j',
    text => {
      expect(readPrivateKey(text)).toBeNull()
      expect(isPublicKey(text)).toBe(false)
    },
  )

  it('verifies the text that it signed, and no other', () => {
    const signature = signText('a', home.privateKey)
    expect(verifyText('a', signature, home.publicKey)).toBe(true)
    expect(verifyText('b', signature, home.publicKey)).toBe(false)
    expect(verifyText('a', signature, host.publicKey)).toBe(false)
    expect(verifyText('a', '', home.publicKey)).toBe(false)
  })
})
