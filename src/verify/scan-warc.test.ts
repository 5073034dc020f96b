import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sha1Digest } from '../data/store/warc/index.js'
import { scanWarc } from './scan-warc.js'

function record(url: string, block: Buffer): Buffer {
  const head =
    `WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: ${url}\r\n` +
    `WARC-Block-Digest: ${sha1Digest(block)}\r\nContent-Length: ${block.length}\r\n\r\n`
  // Stored, not deflated: what a page holds stands in the file as it is.
  return gzipSync(Buffer.concat([Buffer.from(head), block, Buffer.from('\r\n\r\n')]), { level: 0 })
}

describe('scanning a damaged WARC', () => {
  let folder = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'orbweaver-scan-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  async function scan(
    members: readonly Buffer[],
    places: readonly number[],
    damage: (bytes: Buffer) => void,
  ) {
    const bytes = Buffer.concat(members)
    damage(bytes)
    const path = join(folder, 'x.warc.gz')
    writeFileSync(path, bytes)
    const found: string[] = []
    for await (const step of scanWarc(path, bytes.length, places))
      found.push(step.ok ? step.record.headers.get('warc-target-uri')! : `${step.offset}+${step.length}`)
    return found
  }

  const members = ['a', 'b', 'c'].map(name =>
    record(`http://${name}/`, Buffer.from(`HTTP/1.1 200\r\n\r\n${name}`)),
  )
  const [a, b, c] = members.map(({ length }) => length)

  it('goes on at the next place that is known', async () => {
    const found = await scan(members, [0, a, a + b], bytes => bytes.fill(0, a + 30, a + 60))
    expect(found).toEqual(['http://a/', `${a}+${b}`, 'http://c/'])
  })

  it('gives up the rest where no place is known', async () => {
    const found = await scan(members, [], bytes => bytes.fill(0, a + 30, a + 60))
    expect(found).toEqual(['http://a/', `${a}+${b + c}`])
  })

  it('passes over a place that is damaged too', async () => {
    const found = await scan(members, [0, a, a + b], bytes => bytes.fill(0, 30, a + 60))
    expect(found).toEqual([`0+${a + b}`, 'http://c/'])
  })

  it('never takes a record that a page holds for one of the archive', async () => {
    const forged = record('http://bank/', Buffer.from('HTTP/1.1 200\r\n\r\nforged'))
    const carrier = record('http://evil/', Buffer.concat([Buffer.from('HTTP/1.1 200\r\n\r\n'), forged]))
    expect(carrier.indexOf(forged)).toBeGreaterThan(0)
    const places = [0, a, a + carrier.length]
    const found = await scan([members[0], carrier, members[2]], places, bytes => {
      bytes[a + 40] ^= 1
    })
    expect(found).toEqual(['http://a/', `${a}+${carrier.length}`, 'http://c/'])
  })

  it('finds a record whose block has another digest, though its checksum is right', async () => {
    const [first, , last] = members
    const text = `WARC/1.1\r\nWARC-Type: response\r\nWARC-Block-Digest: ${sha1Digest(Buffer.from('x'))}\r\n`
    const wrong = gzipSync(Buffer.from(`${text}Content-Length: 1\r\n\r\ny\r\n\r\n`))
    const found = await scan([first, wrong, last], [0, a, a + wrong.length], () => {})
    expect(found).toEqual(['http://a/', `${a}+${wrong.length}`, 'http://c/'])
  })
})
