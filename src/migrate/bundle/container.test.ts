/** The container by itself: whatever is altered or claimed, it is refused before it is inflated. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { forgedContainer } from '../../../test/kit/odd-containers.js'
import { openContainer, sealContainer } from './container.js'
import { newKeyPair } from './keys.js'

const MAGIC = 'OWTEST1\n'
const LIMITS = { bytes: 100_000, inflatedBytes: 1_000_000 }
const keys = newKeyPair()

const open = (bytes: Buffer, signer = keys.publicKey, limits = LIMITS) =>
  openContainer(MAGIC, bytes, limits, manifest => ({ manifest, signer }))
const seal = (manifest: object, sections: readonly Uint8Array[]) =>
  sealContainer(MAGIC, manifest, sections, keys.privateKey)

describe('a container', () => {
  it('is read as it was written', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uint8Array({ maxLength: 3_000 }), { maxLength: 5 }),
        fc.dictionary(fc.string(), fc.string()),
        async (sections, manifest) => {
          const opened = await open(await seal(manifest, sections))
          if (!opened.ok) throw new Error(opened.why)
          expect(opened.sections.map(section => [...section])).toEqual(sections.map(section => [...section]))
          expect(opened.manifest).toEqual(JSON.parse(JSON.stringify(manifest)))
        },
      ),
      { numRuns: 50 },
    )
  })

  it('is refused with any bit flipped', async () => {
    const sealed = await seal({ id: 1 }, [Buffer.from('visits '.repeat(40)), Buffer.alloc(0)])
    const accepted: number[] = []
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      const flipped = Buffer.from(sealed)
      flipped[bit >> 3]! ^= 1 << (bit & 7)
      if ((await open(flipped)).ok) accepted.push(bit)
    }
    expect(accepted).toEqual([])
  })

  it('is refused when it is cut, continued or empty', async () => {
    const sealed = await seal({}, [Buffer.from('text')])
    for (let length = 0; length < sealed.length; length++)
      expect(await open(sealed.subarray(0, length))).toMatchObject({ ok: false })
    expect(await open(Buffer.concat([sealed, Buffer.from('x')]))).toMatchObject({ ok: false })
  })

  it('is refused when another key signed it, or none', async () => {
    const sealed = await seal({}, [])
    expect(await open(sealed, newKeyPair().publicKey)).toEqual({ ok: false, why: 'its signature is wrong' })
    expect(await open(sealed, 'ed25519:')).toEqual({ ok: false, why: 'its signature is wrong' })
  })

  it('is never refused by an exception, whatever the bytes are', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), async noise => {
        expect((await open(Buffer.concat([Buffer.from(MAGIC), noise]))).ok).toBe(false)
      }),
      { numRuns: 200 },
    )
  })
})

describe('a container with a right signature', () => {
  const forge = (header: unknown, sections: readonly Uint8Array[] = []) =>
    open(forgedContainer(MAGIC, header, sections, keys.privateKey))
  const facts = (bytes: number, inflated: number) => ({ bytes, inflated, sha256: '0'.repeat(64) })

  it.each<[string, unknown]>([
    ['no object', 7],
    ['no sections', { manifest: {} }],
    ['a field too many', { manifest: {}, sections: [], more: 1 }],
    ['a manifest that is null', { manifest: null, sections: [] }],
    ['negative sizes', { manifest: {}, sections: [facts(-5, 5), facts(5, 5)] }],
    ['sizes that are no numbers', { manifest: {}, sections: [{ ...facts(0, 0), bytes: '0' }] }],
    ['sizes beyond exact numbers', { manifest: {}, sections: [facts(0, 2 ** 60)] }],
    ['too many sections', { manifest: {}, sections: Array.from({ length: 17 }, () => facts(0, 0)) }],
    ['sections that are not there', { manifest: {}, sections: [facts(10, 10)] }],
  ])('is refused with %s', async (_, header) => {
    expect((await forge(header)).ok).toBe(false)
  })

  it('is refused before a bomb is inflated, whatever size it admits', async () => {
    const zeros = Buffer.alloc(50_000_000)
    const bomb = await sealContainer(MAGIC, {}, [zeros], keys.privateKey)
    expect(await open(bomb)).toEqual({ ok: false, why: 'it says it inflates to 50000000 bytes' })
    const { sections, header } = partsOf(bomb)
    const lying = { ...header, sections: [{ ...header.sections[0], inflated: 10 }] }
    expect(await forge(lying, sections)).toEqual({ ok: false, why: 'its section 0 is damaged' })
  })

  it('is refused when a section inflates to less than it says', async () => {
    const { sections, header } = partsOf(await seal({}, [Buffer.from('abc')]))
    const lying = { ...header, sections: [{ ...header.sections[0], inflated: 4 }] }
    expect(await forge(lying, sections)).toEqual({ ok: false, why: 'its section 0 is damaged' })
  })

  it('is refused when it is longer than allowed', async () => {
    const sealed = await seal({}, [Buffer.from('abc')])
    const limits = { bytes: sealed.length - 1, inflatedBytes: 100 }
    expect(await open(sealed, keys.publicKey, limits)).toMatchObject({ ok: false })
  })
})

interface Header {
  readonly sections: readonly object[]
}

function partsOf(sealed: Buffer): { header: Header; sections: Buffer[] } {
  const length = sealed.readUInt32LE(MAGIC.length)
  const start = MAGIC.length + 4
  const header = JSON.parse(sealed.toString('utf8', start, start + length)) as Header
  return { header, sections: [sealed.subarray(start + length + 64)] }
}
