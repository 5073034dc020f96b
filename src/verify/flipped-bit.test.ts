import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { flippedBit } from './flipped-bit.js'

describe('the flipped bit of a file', () => {
  it('is found from the checksum of the sound file, wherever it is', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 2_000 }), fc.nat(), (bytes, at) => {
        const bit = at % (bytes.length * 8)
        const sound = crc32(bytes)
        const damaged = Uint8Array.from(bytes)
        damaged[bit >>> 3] ^= 1 << (bit & 7)
        expect(flippedBit(crc32(damaged) ^ sound, bytes.length)).toBe(bit)
      }),
    )
  })

  it('is not found where two bits were flipped in a small file', () => {
    const bytes = Buffer.alloc(256, 7)
    const sound = crc32(bytes)
    bytes[3] ^= 1
    bytes[200] ^= 16
    expect(flippedBit(crc32(bytes) ^ sound, bytes.length)).toBeNull()
  })

  it('is none where nothing differs', () => {
    expect(flippedBit(0, 100)).toBeNull()
  })
})
