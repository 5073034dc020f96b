import { execFileSync } from 'node:child_process'
import {
  closeSync,
  constants,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readHypergraph } from './read-hypergraph.js'
import {
  readAffinity,
  readFixed,
  readGroups,
  readParts,
  readPrevious,
  readTargets,
  readWeights,
} from './vertex-files.js'
import { writeParts } from './write-parts.js'

const folder = mkdtempSync(join(tmpdir(), 'orbweaver-partition-'))
const file = (text: string, name = 'a.txt'): string => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

describe('files with a line per vertex', () => {
  it('are read with comments, blank lines, CRLF and without a last newline', () => {
    const text = '% parts\r\n0\r\n\r\n 2 % two\n1'
    expect([...readParts(file(text), 3, 3)]).toEqual([0, 2, 1])
    expect([...readFixed(file('-1\n 2\n-1%x\n'), 3, 3)]).toEqual([-1, 2, -1])
    expect([...readGroups(file('7\n-1\n7'), 3)]).toEqual([7, -1, 7])
    expect([...readPrevious(file('40\n-1\n7'), 3)]).toEqual([40, -1, 7])
    expect(readTargets(file('1\n2.0\n1'), 3)).toEqual([0.25, 0.5, 0.25])
  })

  it('say for some vertices what a part is worth, below 0 too', () => {
    const { vertices, parts, gains } = readAffinity(file('% near\r\n3 1 2.5\r\n\n1 0 -4\n3 0 1e3'), 3, 2)
    expect([...vertices]).toEqual([2, 0, 2])
    expect([...parts]).toEqual([1, 0, 0])
    expect([...gains]).toEqual([2.5, -4, 1000])
    expect(readAffinity(file('% none\n'), 3, 2).gains).toHaveLength(0)
  })

  it('hold as many weights per vertex as the first line has', () => {
    const { constraintCount, weights } = readWeights(file('284 38 1\n4116\t159 0.5\n\n192 10 0\n'), 3)
    expect(constraintCount).toBe(3)
    expect([...weights]).toEqual([284, 38, 1, 4116, 159, 0.5, 192, 10, 0])
  })

  it('replace the weights of a hypergraph or graph file', () => {
    const weights = file('1 2\n3 4\n', 'a.vw')
    for (const name of [file('1 2 10\n1 2\n9\n9\n', 'a.hgr'), file('2 1 10\n9 2\n9 1\n', 'a.graph')]) {
      const { constraintCount, vertexWeights, netCount, pins } = readHypergraph(name, weights)
      expect([constraintCount, netCount, ...pins]).toEqual([2, 1, 0, 1])
      expect([...vertexWeights]).toEqual([1, 2, 3, 4])
    }
  })

  it.each([
    ['a wish of no vertex', (name: string) => readAffinity(name, 3, 2), '4 0 1\n', 'line 1: vertex 4 is out'],
    ['a wish for no part', (name: string) => readAffinity(name, 3, 2), '1 2 1\n', 'line 1: part 2 is out of'],
    ['a wish worth NaN', (name: string) => readAffinity(name, 3, 2), '1 1 NaN\n', 'line 1: a gain is "NaN"'],
    [
      'a wish worth nothing',
      (name: string) => readAffinity(name, 3, 2),
      '1 1\n',
      'line 1: a gain is missing',
    ],
    ['two wishes', (name: string) => readAffinity(name, 3, 2), '1 1 1 2\n', 'line 1: more than "vertex part'],
    ['too few parts', (name: string) => readParts(name, 3, 3), '0\n1\n', 'a.txt: 2 lines for 3 vertices'],
    [
      'too many parts',
      (name: string) => readParts(name, 1, 3),
      '0\n1\n',
      'line 2: more lines than the 1 vert',
    ],
    [
      'a part of k',
      (name: string) => readParts(name, 2, 3),
      '0\n3\n',
      'line 2: part 3 is out of range; they go',
    ],
    [
      'no part',
      (name: string) => readParts(name, 2, 3),
      '0\n-1\n',
      'line 2: a part is -1; every vertex has one',
    ],
    [
      'two parts',
      (name: string) => readParts(name, 2, 3),
      '0 1\n1\n',
      'line 1: more than one number in a line',
    ],
    [
      'a word',
      (name: string) => readParts(name, 2, 3),
      '0\nx\n',
      'line 2: a part is "x", which is not a number',
    ],
    [
      'half a part',
      (name: string) => readParts(name, 2, 3),
      '0.5\n1\n',
      'line 1: a part is 0.5; a whole number',
    ],
    [
      'a fixed part of k',
      (name: string) => readFixed(name, 2, 3),
      '-1\n3\n',
      'line 2: part 3 is out of range',
    ],
    [
      'a fixed part of -2',
      (name: string) => readFixed(name, 2, 3),
      '-1\n-2\n',
      'line 2: a part is -2; it cannot',
    ],
    [
      'a group fixed to two parts',
      (name: string) => readFixed(name, 3, 3, Int32Array.of(7, -1, 7)),
      '0\n1\n2\n',
      'line 3: part 2, but group 7 is already fixed to part 0',
    ],
    [
      'a group too high',
      (name: string) => readGroups(name, 1),
      '3000000000\n',
      'line 1: group 3000000000 is out',
    ],
    [
      'an old part too high',
      (name: string) => readPrevious(name, 1),
      '3000000000\n',
      'line 1: part 3000000000',
    ],
    ['too few shares', (name: string) => readTargets(name, 3), '1\n1\n', 'a.txt: 2 lines for 3 parts'],
    ['a share of 0', (name: string) => readTargets(name, 2), '1\n0\n', 'line 2: the share of part 1 is 0'],
    [
      'a negative share',
      (name: string) => readTargets(name, 2),
      '1\n-1\n',
      'line 2: the share of part 1 is -1',
    ],
    [
      'two shares',
      (name: string) => readTargets(name, 2),
      '1 1\n1\n',
      'line 1: more than one share in a line',
    ],
    [
      'a weight too few',
      (name: string) => readWeights(name, 2),
      '1 2\n3\n',
      'line 2: vertex 2 has 1 weights, the',
    ],
    [
      'a weight too many',
      (name: string) => readWeights(name, 2),
      '1\n3 4\n',
      'line 2: vertex 2 has 2 weights, the',
    ],
    [
      'a NaN weight',
      (name: string) => readWeights(name, 2),
      '1 2\n3 NaN\n',
      'line 2: a weight of vertex 2 is "NaN"',
    ],
    [
      'a negative weight',
      (name: string) => readWeights(name, 2),
      '1\n-3\n',
      'line 2: a weight of vertex 2 is -3',
    ],
    ['too few weights', (name: string) => readWeights(name, 2), '1\n', 'a.txt: 1 lines for 2 vertices'],
  ])('with %s are refused in one line that says where', (_, read, text, complaint) => {
    expect(() => read(file(text))).toThrow(complaint)
  })

  it('are named when they cannot be read', () => {
    expect(() => readParts(join(folder, 'none'), 1, 1)).toThrow('none: there is no such file')
    expect(() => readParts(folder, 1, 1)).toThrow('this is a folder, not a file')
  })
})

describe('the part file', () => {
  it('has a line per vertex and reads back', () => {
    const parts = Int32Array.from([0, 9, 10, 65_535, 3])
    const name = join(folder, 'a.part')
    writeParts(name, parts)
    expect(readFileSync(name, 'utf8')).toBe('0\n9\n10\n65535\n3\n')
    expect(readParts(name, 5, 65_536)).toEqual(parts)
  })

  it('replaces the old one whole, and leaves nothing beside it', () => {
    const name = file('old\n'.repeat(100), 'b.part')
    writeParts(name, Int32Array.from([1]))
    expect(readFileSync(name, 'utf8')).toBe('1\n')
    expect(readdirSync(folder).filter(each => each.endsWith('.tmp'))).toEqual([])
  })

  it('is refused where it cannot be', () => {
    expect(() => writeParts(join(folder, 'none', 'a'), Int32Array.from([1]))).toThrow(
      'its folder does not exist',
    )
    expect(() => writeParts(folder, Int32Array.from([1]))).toThrow('this is a folder')
    expect(readdirSync(folder).filter(each => each.endsWith('.tmp'))).toEqual([])
    expect(existsSync(`${folder}.${process.pid}.tmp`)).toBe(false)
  })

  it('may go to a pipe, which stays one', () => {
    const pipe = join(folder, 'pipe')
    execFileSync('/bin/sh', ['-c', 'mkfifo "$0"', pipe])
    // Open for both, so that neither end waits for the other.
    const reader = openSync(pipe, constants.O_RDWR)
    writeParts(pipe, Int32Array.from([1, 12]))
    expect(statSync(pipe).isFIFO()).toBe(true)
    const said = Buffer.alloc(16)
    const length = readSync(reader, said)
    closeSync(reader)
    expect(said.toString('latin1', 0, length)).toBe('1\n12\n')
  })
})
