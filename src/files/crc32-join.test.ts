import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { joinCrc32 } from './crc32-join.js'

test('the checksum of two pieces follows from theirs and the length of the second', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.uint8Array({ maxLength: 70_000 }), (first, second) => {
      const whole = crc32(Buffer.concat([first, second]))
      expect(joinCrc32(crc32(first), crc32(second), second.length)).toBe(whole)
    }),
  )
})

test('pieces may be longer than 32 bits can count, and joined in any order', () => {
  const sum = fc.nat(0xffff_ffff)
  const bytes = fc.nat(2 ** 48)
  fc.assert(
    fc.property(sum, sum, bytes, sum, bytes, (a, b, bBytes, c, cBytes) => {
      const fromLeft = joinCrc32(joinCrc32(a, b, bBytes), c, cBytes)
      expect(fromLeft).toBe(joinCrc32(a, joinCrc32(b, c, cBytes), bBytes + cBytes))
    }),
  )
})
