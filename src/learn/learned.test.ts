import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import type { LearnedWeb } from '../assign/index.js'
import type { FileRow, SiteSummary } from '../cluster/index.js'
import { readLearned, writeLearned } from './index.js'

const root = mkdtempSync(join(tmpdir(), 'orb-learned-'))
afterAll(() => rmSync(root, { recursive: true }))

interface Made {
  readonly sites: readonly Partial<SiteSummary & { readonly cell: string }>[]
  readonly nets?: readonly string[]
  readonly hosts?: readonly string[]
}

/** A crawl directory as conversion leaves it, with a ledger that knows its sites and files. */
async function learn(name: string, { sites, nets = [], hosts = [] }: Made, previous: string | null = null) {
  const directory = join(root, name)
  mkdirSync(join(directory, 'learned'), { recursive: true })
  const files = [...part('nets', nets), ...part('hosts', hosts)]
  for (const { name: file, content } of files) writeFileSync(join(directory, file), content)
  const known = {
    sites: async (after: string) => (after === '' ? sites.map(summary) : []),
    files: async () => files.map(({ name: file, kind }) => fileRow(file, kind)),
  }
  return writeLearned(known, {
    directory,
    crawl: name,
    now: 0,
    previous: previous === null ? null : { directory: join(root, previous), crawl: previous },
  })
}

function fileRow(name: string, kind: string): FileRow {
  return { name, kind, bytes: 1, incarnation: 1, closed: true }
}

function part(kind: string, lines: readonly string[]) {
  if (lines.length === 0) return []
  return [
    { name: `learned/${kind}-1.gz`, kind: `learned-${kind}`, content: gzipSync(`${lines.join('\n')}\n`) },
  ]
}

function summary(site: Made['sites'][number]): SiteSummary {
  return {
    cell: 'a.test',
    state: 'finished',
    pages: 1,
    bytes: 100,
    fetchMs: 10,
    firstFetch: 1,
    lastFetch: 2,
    discovered: 1,
    settled: 1,
    outcomes: [],
    ...site,
  }
}

async function read(name: string): Promise<LearnedWeb> {
  const learned = await readLearned(join(root, name), name)
  if ('trouble' in learned) throw new Error(learned.trouble)
  return learned
}

function netsOf({ sites, netOffsets, pins, counts }: LearnedWeb): string[] {
  return Array.from(counts, (count, net) => {
    const own = pins.subarray(netOffsets[net], netOffsets[net + 1])
    return `${count} ${Array.from(own, pin => sites[pin].site).join(' ')}`
  }).sort()
}

const FIRST: Made = {
  sites: [
    { cell: 'a.test', pages: 10, bytes: 1_000, fetchMs: 50 },
    { cell: 'b.test', pages: 20, bytes: 4_000, fetchMs: 70 },
    { cell: 'never.test', pages: 0, lastFetch: 0 },
  ],
  nets: [
    '3\ta.test b.test',
    '1\ta.test b.test elsewhere.test',
    '2\tb.test elsewhere.test',
    '4\tb.test a.test',
    '5\telsewhere.test a.test b.test',
  ],
  hosts: [
    'a.test\t192.0.2.1\tagent-1\t12.5\t0\t0',
    'a.test\t192.0.2.1\tagent-2\t80\t0\t0',
    'a.test\t192.0.2.2\tagent-1\t11\t0\t0',
    'a.test\t\tagent-1\t-1\t8\t2',
  ],
}

describe('what a crawl has learned', () => {
  it('is read as it was written: sites with their weights, hosts and changes, nets among known sites', async () => {
    expect(await learn('first', FIRST)).toBeNull()
    const web = await read('first')
    expect(web.sites).toEqual([
      {
        site: 'a.test',
        pages: 10,
        bytes: 1_000,
        fetchMs: 50,
        checked: 8,
        changed: 2,
        addresses: ['192.0.2.1', '192.0.2.2'],
        connectMs: { 'agent-1': 11, 'agent-2': 80 },
      },
      expect.objectContaining({ site: 'b.test', pages: 20, bytes: 4_000, addresses: [] }),
    ])
    expect(netsOf(web)).toEqual(['1 a.test b.test', '3 a.test b.test', '4 b.test a.test'])
  })

  it('while it runs, takes in what is in no file yet: links, distances, and sites that only wait', async () => {
    await learn('running', FIRST)
    const web = await readLearned(join(root, 'running'), 'running', {
      sites: ['b.test', 'waits.test'],
      nets: ['7\ta.test waits.test', '1\tb.test elsewhere.test'],
      hosts: ['b.test\t192.0.2.9\tagent-2\t33\t0\t0'],
    })
    if ('trouble' in web) throw new Error(web.trouble)
    expect(web.sites.map(({ site }) => site)).toEqual(['a.test', 'b.test', 'waits.test'])
    expect(web.sites[1]).toMatchObject({ pages: 20, addresses: ['192.0.2.9'], connectMs: { 'agent-2': 33 } })
    expect(netsOf(web)).toContain('7 a.test waits.test')
    expect(netsOf(web)).toHaveLength(4)
  })

  it('keeps what the crawl before knew where this one has nothing new (S1)', async () => {
    await learn('first', FIRST)
    await learn(
      'second',
      {
        sites: [
          { cell: 'b.test', pages: 20, bytes: 500, discovered: 20, settled: 20 },
          { cell: 'c.test', pages: 5 },
        ],
        nets: ['9\tb.test c.test'],
        // Three quarters of b had not changed, and came without a body.
        hosts: ['b.test\t\tagent-1\t-1\t20\t5'],
      },
      'first',
    )
    const web = await read('second')
    const [a, b, c] = ['a.test', 'b.test', 'c.test'].map(name => web.sites.find(({ site }) => site === name))
    expect(a).toMatchObject({ pages: 10, bytes: 1_000, addresses: ['192.0.2.1', '192.0.2.2'] })
    expect(b).toMatchObject({ pages: 20, bytes: 3_500, checked: 20, changed: 5 })
    expect(c).toMatchObject({ pages: 5 })
    expect(netsOf(web)).toEqual(['1 a.test b.test', '3 a.test b.test', '9 b.test c.test'])
  })

  it('does not take a site for small that was left half-way', async () => {
    await learn('first', FIRST)
    await learn('stopped', { sites: [{ cell: 'b.test', pages: 1, discovered: 20, settled: 1 }] }, 'first')
    const { sites } = await read('stopped')
    expect(sites.find(({ site }) => site === 'b.test')).toMatchObject({ pages: 20, bytes: 4_000 })
  })
})

describe('a learned/ that cannot be used is said to be so in one line', () => {
  const trouble = async (name: string, crawl = name) => {
    const learned = await readLearned(join(root, name), crawl)
    return 'trouble' in learned ? learned.trouble : ''
  }
  const within = (name: string, file: string) => join(root, name, 'learned', file)

  it('when there is none', async () => {
    expect(await trouble('nowhere')).toMatch(/is not there$/)
  })

  it('when it is half-written', async () => {
    await learn('half', FIRST)
    rmSync(within('half', 'manifest.json'))
    expect(await trouble('half')).toMatch(/half-written/)
  })

  it('when a file is missing, shorter, or another', async () => {
    await learn('harmed', FIRST)
    const bytes = readFileSync(within('harmed', 'nets-1.gz'))
    bytes[bytes.length - 9] ^= 1
    writeFileSync(within('harmed', 'nets-1.gz'), bytes)
    expect(await trouble('harmed')).toMatch(/nets-1.gz is not as it was written/)
    writeFileSync(within('harmed', 'nets-1.gz'), bytes.subarray(0, 20))
    expect(await trouble('harmed')).toMatch(/nets-1.gz is not as it was written/)
    rmSync(within('harmed', 'nets-1.gz'))
    expect(await trouble('harmed')).toMatch(/nets-1.gz is missing/)
  })

  it('when it was copied from another crawl, or is of another version', async () => {
    await learn('first', FIRST)
    expect(await trouble('first', 'second')).toMatch(/learned by another crawl/)
    const path = within('first', 'manifest.json')
    copyFileSync(path, `${path}.kept`)
    writeFileSync(path, readFileSync(path, 'utf8').replace('"version": 1', '"version": 99'))
    expect(await trouble('first')).toMatch(/version 99/)
    writeFileSync(path, '{"version":')
    expect(await trouble('first')).toMatch(/is damaged/)
  })

  it('and the next crawl keeps what is new all the same', async () => {
    await learn('lost', FIRST)
    rmSync(within('lost', 'manifest.json'))
    expect(await learn('after', { sites: [{ cell: 'b.test' }] }, 'lost')).toMatchObject({
      trouble: expect.stringMatching(/half-written/),
    })
    expect(existsSync(within('after', 'manifest.json'))).toBe(true)
    expect((await read('after')).sites).toHaveLength(1)
  })
})
