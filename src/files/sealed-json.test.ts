import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { inDirectory } from '../../test/kit/store-samples.js'
import { readSealed, writeSealed } from './sealed-json.js'

const CONTENT = { format: 1, seeds: ['http://ä.test/'], config: { delay: 0 } }

it('a sealed file is JSON and gives back what was written', () =>
  inDirectory(directory => {
    const path = join(directory, 'a.json')
    writeSealed(path, 'a.json', CONTENT)
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject(CONTENT)
    expect(readSealed(path, 'a.json')).toEqual({ content: CONTENT, seal: 'right' })
    expect(readSealed(path, 'b.json')?.seal).toBe('wrong')
  }))

it('every flipped bit shows: no JSON any more, another checksum, or none', () =>
  inDirectory(directory => {
    const path = join(directory, 'a.json')
    writeSealed(path, 'a.json', CONTENT)
    const whole = readFileSync(path)
    for (let bit = 0; bit < whole.length * 8; bit++) {
      const bad = Buffer.from(whole)
      bad[bit >> 3] ^= 1 << (bit & 7)
      writeFileSync(path, bad)
      expect(readSealed(path, 'a.json')?.seal, `bit ${bit}`).not.toBe('right')
    }
  }))

it('a file that was edited and lost its last entry is read, and has no seal', () =>
  inDirectory(directory => {
    const path = join(directory, 'a.json')
    writeFileSync(path, '{\n  "format": 1\n}\n')
    expect(readSealed(path, 'a.json')).toEqual({ content: { format: 1 }, seal: 'none' })
    for (const text of ['', '7', 'null', '{']) {
      writeFileSync(path, text)
      expect(readSealed(path, 'a.json'), text).toBeNull()
    }
  }))
