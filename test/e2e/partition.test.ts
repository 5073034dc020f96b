import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { PartitionError, partition, readHypergraph } from 'orbweaver'
import { describe, expect, it } from 'vitest'
import { plantedHypergraph, siteHypergraph, writeHypergraph } from '../kit/made-hypergraphs.js'
import { orbweaver } from '../kit/orbweaver.js'

const folder = mkdtempSync(join(tmpdir(), 'orbweaver-partition-'))
const SITES = 400
const ROUNDING = 1e-9
const at = (name: string): string => join(folder, name)
const lines = (name: string): number[] => readFileSync(name, 'utf8').trimEnd().split('\n').map(Number)
const write = (name: string, rows: readonly (number | string)[]): string => {
  writeFileSync(at(name), `${rows.join('\n')}\n`)
  return at(name)
}

const WEB = at('web.hgr')
const WEIGHTS = at('web.vw')
const web = siteHypergraph({ sites: SITES, seed: 5, pages: 4_000 })
writeHypergraph(WEB, web, WEIGHTS)

/** Runs the command, expects it to end well, and gives its JSON. */
async function made(...args: string[]) {
  const end = await orbweaver(['partition', ...args, '--json'])
  expect(end.code, end.stderr).toBe(0)
  return JSON.parse(end.stdout)
}

const FIGURES = [
  'k',
  'km1',
  'cut',
  'imbalance',
  'imbalanceBound',
  'coalescedMessages',
  'moved',
  'movedWeight',
]
/** To the ninth digit: sums in another order differ in the last. */
const figuresOf = (result: Record<string, number | number[]>) =>
  FIGURES.map(name => [name, ...[result[name]].flat().map(value => value.toFixed(9))])

describe('orbweaver partition', () => {
  it('writes a part per line beside the file, and says what the checker says', async () => {
    const result = await made(WEB, '-k', '4', '--weights', WEIGHTS)
    const parts = lines(`${WEB}.part.4`)
    expect(parts).toHaveLength(SITES)
    expect(new Set(parts)).toEqual(new Set([0, 1, 2, 3]))
    const checked = await made('--check', WEB, `${WEB}.part.4`, '-k', '4', '--weights', WEIGHTS)
    expect(figuresOf(result)).toEqual(figuresOf(checked))
    for (const imbalance of checked.imbalance) expect(imbalance).toBeLessThanOrEqual(0.05 + ROUNDING)
    expect(checked.km1).toBeGreaterThan(0)
    expect(result.seconds).toBeGreaterThan(0)
  })

  it('tells people on stderr, and leaves stdout to JSON', async () => {
    const end = await orbweaver(['partition', WEB, '-k', '3', '--out', at('told')])
    expect(end.code).toBe(0)
    expect(end.stdout).toBe('')
    expect(end.stderr).toMatch(/400 vertices, 4,000 nets, [\d,]+ pins in 3 parts/)
    expect(end.stderr).toContain(`Wrote ${at('told')}`)
    const check = await orbweaver(['partition', '--check', WEB, at('told'), '-k', '3'])
    expect(check.code).toBe(0)
    expect(check.stderr).toContain('connectivity - 1')
  })

  it('gives the same parts for the same seed', async () => {
    const flags = ['-k', '5', '--preset', 'fast']
    await made(WEB, ...flags, '--seed', '7', '--out', at('a'))
    await made(WEB, ...flags, '--seed', '7', '--out', at('b'))
    await made(WEB, ...flags, '--seed', '8', '--out', at('c'))
    expect(lines(at('b'))).toEqual(lines(at('a')))
    expect(lines(at('c'))).not.toEqual(lines(at('a')))
  })

  it('reads a METIS graph, and finds the parts it was made around', async () => {
    // Two rings of ten, joined by one edge.
    const ring = (v: number, step: number): number => Math.floor(v / 10) * 10 + ((v + step) % 10) + 1
    const rows = Array.from({ length: 20 }, (_, v) => {
      const joined = v === 3 ? ' 14' : v === 13 ? ' 4' : ''
      return `${ring(v, 1)} ${ring(v, 9)}${joined}`
    })
    const graph = write('rings.graph', ['20 21', ...rows])
    const result = await made(graph, '-k', '2')
    expect(result).toMatchObject({ km1: 1, cut: 1, imbalance: [0] })
    const parts = lines(`${graph}.part.2`)
    expect(new Set(parts.slice(0, 10)).size).toBe(1)
  })

  it('stops at its time limit with a whole partition', async () => {
    const planted = plantedHypergraph({ vertices: 20_000, parts: 8, nets: 40_000, seed: 2 })
    writeHypergraph(at('large.hgr'), planted.hypergraph)
    const result = await made(at('large.hgr'), '-k', '8', '--preset', 'quality', '--time-limit', '0.5')
    expect(lines(at('large.hgr.part.8'))).toHaveLength(20_000)
    const checked = await made('--check', at('large.hgr'), at('large.hgr.part.8'), '-k', '8')
    expect(figuresOf(result)).toEqual(figuresOf(checked))
  })

  const bad = write('bad.hgr', ['3 4', '1 2', '2 9', '3 4'])
  it.each([
    ['a bad file', [bad, '-k', '2'], 'bad.hgr, line 3: vertex 9 is out of range'],
    ['a file that is not there', [at('none.hgr'), '-k', '2'], 'none.hgr: there is no such file'],
    ['no -k', [WEB], "required option '-k, --k <n>' not specified"],
    ['K of 0', [WEB, '-k', '0'], '-k 0: a whole number of at least 1 is wanted'],
    ['a negative K', [WEB, '-k', '-2'], '-k -2: it cannot be negative'],
    ['half a part', [WEB, '-k', '2.5'], '-k 2.5: a whole number'],
    ['more parts than vertices', [WEB, '-k', '401'], 'web.hgr: 400 vertices cannot make 401 parts'],
    ['a negative epsilon', [WEB, '-k', '2', '--epsilon', '-0.1'], '--epsilon -0.1: it cannot be negative'],
    ['an epsilon of words', [WEB, '-k', '2', '--epsilon', '5%'], '--epsilon 5%: a number is wanted'],
    ['too many epsilons', [WEB, '-k', '2', '--epsilon', '0.1,0.1'], '2 numbers for 1 weights per vertex'],
    ['an unknown preset', [WEB, '-k', '2', '--preset', 'best'], 'Allowed choices are fast, default, quality'],
    ['a bad seed', [WEB, '-k', '2', '--seed', 'x'], '--seed x: a number is wanted'],
    ['bad weights', [WEB, '-k', '2', '--weights', bad], 'bad.hgr: 4 lines for 400 vertices'],
    ['bad targets', [WEB, '-k', '2', '--targets', bad], 'bad.hgr, line 1: more than one share in a line'],
    ['bad wishes', [WEB, '-k', '2', '--affinity', bad], 'bad.hgr, line 1: part 4 is out of range'],
    ['a price for no move', [WEB, '-k', '2', '--migration-weight', '1'], '--previous FILE says from where'],
    ['an objective without weight', [WEB, '-k', '2', '--objective', WEB], 'expected FILE:p'],
    ['an objective of weight 0', [WEB, '-k', '2', '--objective', `${WEB}:0`], 'more than 0'],
    [
      'an objective of other size',
      [WEB, '-k', '2', '--objective', `${at('rings2.graph')}:1`],
      '2 vertices, but',
    ],
    ['a second file', [WEB, at('told'), '-k', '2'], 'only --check takes a second file'],
    ['a check of one file', ['--check', WEB, '-k', '2'], '--check wants two files'],
    ['a check of other parts', ['--check', WEB, bad, '-k', '2'], 'bad.hgr, line 1: 2 numbers, 1 are wanted'],
    ['a folder for a file', [WEB, '-k', '2', '--out', '.'], '--out .: this is a folder; name a file'],
    ['a folder that is not there', [WEB, '-k', '2', '--out', at('no/where')], 'its folder does not exist'],
  ])('refuses %s in one line, and writes nothing', async (_, args, complaint) => {
    write('rings2.graph', ['2 1', 2, 1])
    const before = readdirSync(folder)
    const end = await orbweaver(['partition', ...args])
    expect(end.stderr).toContain(complaint)
    expect(end.stderr.trimEnd().split('\n')).toHaveLength(1)
    expect(end.stdout).toBe('')
    expect(end.code).toBe(4)
    expect(readdirSync(folder)).toEqual(before)
  })

  it('explains itself', async () => {
    const end = await orbweaver(['partition', '--help'])
    expect(end.code).toBe(0)
    for (const word of ['--objective', '--previous', '--check', 'Examples:'])
      expect(end.stdout).toContain(word)
    expect((await orbweaver(['--help'])).stdout).toContain('partition')
  })
})

describe('partition() of the library', () => {
  it('takes a hypergraph from a file or from arrays, with defaults for the rest', () => {
    const { vertexCount, netCount, pins } = readHypergraph(WEB, WEIGHTS)
    expect([vertexCount, netCount, pins.length]).toEqual([SITES, web.netCount, web.pins.length])
    const result = partition({ hypergraph: web, k: 4 })
    expect(result.parts).toEqual(partition({ hypergraph: readHypergraph(WEB, WEIGHTS), k: 4, seed: 1 }).parts)
    expect(result.balanced).toBe(true)
  })

  it('throws a PartitionError of one line for a bad request', () => {
    expect(() => partition({ hypergraph: web, k: 0 })).toThrow(PartitionError)
    expect(() => partition({ hypergraph: web, k: 4, epsilon: [0.05] })).toThrow(PartitionError)
    expect(() => partition({ hypergraph: web, k: 4, epsilon: -1 })).toThrow(PartitionError)
    expect(() => readHypergraph(write('bad2.hgr', ['1 1', '2']))).toThrow(PartitionError)
  })

  it('has an example that compiles and runs', { tags: 'deep' }, async () => {
    const root = fileURLToPath(new URL('../../', import.meta.url))
    const script = ['--import', 'tsx', 'docs/examples/partition.ts']
    const run = promisify(execFile)
    expect((await run(process.execPath, script, { cwd: root })).stdout).toContain('1 messages')
    const large = await run(process.execPath, [...script, WEB, '4', WEIGHTS], { cwd: root })
    expect(large.stdout).toMatch(/^\d+ messages, heaviest part \d+\.\d % above its share/)
  })
})
