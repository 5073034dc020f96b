import {
  closeSync,
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { inDirectory } from '../../test/kit/store-samples.js'
import { AppendFile } from '../data/store/append-file.js'
import { LIMITS, SeededRandom } from '../model/index.js'
import { DurableFile } from './durable.js'
import { StagedFile } from './staged-file.js'
import { BLOCK_BYTES, BlockAccess, releaseBuffer, takeBuffer } from './uncached-write.js'
import { WindowedFile } from './windowed-file.js'

const random = new SeededRandom(1)
const bytesOf = (count: number) => Buffer.from(random.bytes(count))
/** Around the sizes at which something else is done. */
const size = fc.oneof(
  fc.integer({ min: 0, max: 3 * BLOCK_BYTES }),
  fc.integer({ min: LIMITS.stageBytes - 3, max: LIMITS.stageBytes + 2 * BLOCK_BYTES }),
  fc.constantFrom(BLOCK_BYTES, LIMITS.stageBytes, 2 * LIMITS.stageBytes + 1, 3 * LIMITS.stageBytes - 1),
)

it('a file holds what was appended, in pieces of any size, and goes on behind what was taken back', () =>
  inDirectory(async directory => {
    let files = 0
    const steps = fc.array(fc.tuple(fc.array(size, { maxLength: 3 }), fc.boolean()), {
      minLength: 1,
      maxLength: 6,
    })
    await fc.assert(
      fc.asyncProperty(steps, async steps => {
        const file = await AppendFile.create(directory, `f${files++}`, 'warc')
        let expected = Buffer.alloc(0)
        for (const [sizes, isKept] of steps) {
          const pieces = sizes.map(bytesOf)
          const before = file.stored()
          await file.append(pieces)
          if (isKept) expected = Buffer.concat([expected, ...pieces])
          else await file.truncate(before.bytes, 0, before.crc32)
          expect(file.bytes).toBe(expected.length)
          expect(file.crc32).toBe(crc32(expected))
        }
        await file.finish()
        expect(readFileSync(file.path).equals(expected)).toBe(true)
      }),
      { numRuns: 25 },
    )
  }))

it('a staged file holds what was written; what was not flushed is lost', () =>
  inDirectory(async directory => {
    const path = join(directory, 'staged')
    fc.assert(
      fc.property(fc.array(size, { maxLength: 6 }), sizes => {
        const pieces = sizes.map(bytesOf)
        const file = new StagedFile(path)
        for (const piece of pieces) file.write(piece)
        file.sync()
        file.close()
        expect(readFileSync(path).equals(Buffer.concat(pieces))).toBe(true)
      }),
      { numRuns: 25 },
    )
    const file = new StagedFile(path)
    file.write(bytesOf(100))
    file.close()
    expect(readFileSync(path).length).toBe(0)
  }))

it.each(['all', 'some'] as const)(
  'a window on %s of a file shows any part, and no more than there is',
  extent =>
    inDirectory(async directory => {
      const path = join(directory, 'read')
      const content = bytesOf(2 * LIMITS.stageBytes + 777)
      writeFileSync(path, content)
      const file = new WindowedFile(path, extent, null)
      const place = fc.integer({ min: 0, max: content.length + BLOCK_BYTES })
      fc.assert(
        fc.property(place, size, (at, length) => {
          expect(file.read(at, length).equals(content.subarray(at, at + length))).toBe(true)
        }),
        { numRuns: 200 },
      )
      file.close()
    }),
)

it('what refuses whole blocks is written as usual, and asked no more', async () => {
  const stage = takeBuffer()
  const blocks = stage.subarray(0, BLOCK_BYTES)
  const device = new BlockAccess('/dev/null', 'write')
  expect([await device.write(blocks, 0), device.writeSync(blocks, 0)]).toEqual([false, false])
  const file = new StagedFile('/dev/null')
  file.write(Buffer.alloc(3 * LIMITS.stageBytes))
  file.flush()
  file.close()
  await inDirectory(async directory => {
    const lost = new BlockAccess(join(directory, 'none'), 'read')
    expect(lost.readSync(blocks, 0)).toBe(null)
  })
  releaseBuffer(stage)
})

it('a file that got another name while it was written is written on', () =>
  inDirectory(async directory => {
    const content = bytesOf(2 * LIMITS.stageBytes)
    const file = new StagedFile(join(directory, 'before'))
    renameSync(join(directory, 'before'), join(directory, 'after'))
    file.write(content)
    file.sync()
    file.close()
    expect(readFileSync(join(directory, 'after')).equals(content)).toBe(true)
  }))

it('two files never share what is put together for them, also after one that could not be closed', () =>
  inDirectory(async directory => {
    const lame = new DurableFile(join(directory, 'lame'))
    // Somebody else closed its descriptor: it is refused when its own time comes.
    closeSync(openDescriptor(join(directory, 'lame.tmp')))
    expect(() => lame.drop()).toThrow('EBADF')
    lame.drop()
    const [one, other] = ['one', 'other'].map(name => new DurableFile(join(directory, name)))
    one.write(Buffer.from('one'))
    other.write(Buffer.from('other'))
    one.keep()
    other.keep()
    expect(readFileSync(join(directory, 'one'), 'utf8')).toBe('one')
  }))

function openDescriptor(path: string): number {
  const entries = readdirSync('/proc/self/fd')
  const isThere = (entry: string) => existsSync(`/proc/self/fd/${entry}`)
  return Number(entries.filter(isThere).find(entry => readlinkSync(`/proc/self/fd/${entry}`) === path))
}
