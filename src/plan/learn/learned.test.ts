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
import type { OutcomeCount, SiteSummary } from '../../ledger/index.js'
import type { AgentAbility, LearnedWeb } from '../assign/learned/index.js'
import { readLearned } from './read-learned.js'
import { countOf, type SiteCount } from './site-count.js'
import { LearnedWriter } from './write-learned.js'

const root = mkdtempSync(join(tmpdir(), 'orb-learned-'))
afterAll(() => rmSync(root, { recursive: true }))

interface Made {
  readonly sites: readonly Partial<SiteSummary & { readonly cell: string }>[]
  readonly nets?: readonly string[]
  readonly hosts?: readonly string[]
  readonly agents?: readonly AgentAbility[]
  /** False with `--tables none`. */
  readonly hasLinks?: boolean
}

/** A crawl directory as conversion leaves it, and what its ledger has counted. */
async function learn(name: string, made: Made, previous: string | null = null) {
  const { sites, nets = [], hosts = [], agents = [], hasLinks = true } = made
  const directory = join(root, name)
  mkdirSync(join(directory, 'learned'), { recursive: true })
  const files = [...part('nets', nets), ...part('hosts', hosts)]
  for (const { name: file, content } of files) writeFileSync(join(directory, file), content)
  const writer = new LearnedWriter()
  for (const site of sites)
    writer.add([countOf(summary(site))].filter((count): count is SiteCount => !!count))
  return writer.finish({
    directory,
    crawl: name,
    now: 0,
    hasLinks,
    files,
    agents,
    previous: previous === null ? null : { directory: join(root, previous), crawl: previous },
  })
}

function came(code: OutcomeCount['code'], count: number): OutcomeCount {
  return { code, count, detail: '' }
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
    'a.test\t192.0.2.1\tagent-1\t12.5\t0\t0\t300',
    'a.test\t192.0.2.1\tagent-2\t80\t0\t0\t200',
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
        otherBytes: 500,
      },
      expect.objectContaining({ site: 'b.test', pages: 20, bytes: 4_000, addresses: [], otherBytes: 0 }),
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
          {
            ...{ cell: 'b.test', pages: 20, bytes: 500, discovered: 20, settled: 20 },
            // Three quarters of b had not changed, and came without a body.
            outcomes: [came('OK', 5), came('NOT_MODIFIED', 15)],
          },
          { cell: 'c.test', pages: 5 },
        ],
        nets: ['9\tb.test c.test'],
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
    const stopped = [
      { cell: 'b.test', pages: 1, discovered: 20, settled: 1 },
      // Its inbox has rows that nobody has read.
      { cell: 'a.test', pages: 1, discovered: 1, settled: 1, state: 'waiting' as const },
    ]
    await learn('stopped', { sites: stopped }, 'first')
    const { sites } = await read('stopped')
    expect(sites.find(({ site }) => site === 'b.test')).toMatchObject({ pages: 20, bytes: 4_000 })
    expect(sites.find(({ site }) => site === 'a.test')).toMatchObject({ pages: 10, bytes: 1_000 })
  })

  it('counts each page of a site that was left half-way once: the old nets stand for what was not fetched', async () => {
    await learn('first', FIRST)
    const half = { cell: 'a.test', pages: 4, bytes: 1, discovered: 10, settled: 4 }
    await learn('halfway', { sites: [half], nets: ['2\ta.test b.test'] }, 'first')
    expect(netsOf(await read('halfway'))).toEqual([
      '0.6 a.test b.test',
      '1.8 a.test b.test',
      '2 a.test b.test',
      '4 b.test a.test',
    ])
  })

  it.each([
    ['is gone', [came('HTTP_CLIENT_ERROR', 20)], 0],
    ['has trouble', [came('HTTP_SERVER_ERROR', 20)], 0],
    ['breaks down after its first page', [came('OK', 1), came('SITE_DROPPED', 19)], 1],
  ])('does not forget a site that %s today', async (_, outcomes, pages) => {
    await learn('first', FIRST)
    const failed = { cell: 'b.test', pages, bytes: 70, discovered: 20, settled: 20, outcomes }
    await learn('failed', { sites: [failed] }, 'first')
    const web = await read('failed')
    expect(web.sites.find(({ site }) => site === 'b.test')).toMatchObject({ pages: 20, bytes: 4_000 })
    const [ofB] = netsOf(web).filter(net => net.includes(' b.test a.test'))
    expect(Number(ofB.split(' ')[0])).toBeCloseTo(4 * (1 - pages / 20))
  })

  it('loses nothing by a crawl that keeps no tables', async () => {
    await learn('first', FIRST)
    const unchanged = (cell: string, pages: number) => ({
      ...{ cell, pages, bytes: 0, discovered: pages, settled: pages },
      outcomes: [came('NOT_MODIFIED', pages)],
    })
    const sites = [unchanged('a.test', 10), unchanged('b.test', 20)]
    await learn('tableless', { sites, hasLinks: false }, 'first')
    const [before, after] = [await read('first'), await read('tableless')]
    expect(netsOf(after)).toEqual(netsOf(before))
    expect(after.sites.map(({ bytes }) => bytes)).toEqual([1_000, 4_000])
  })

  it('a site in which nothing changes weighs the same after ten more crawls, and what is no page counts once', async () => {
    const seen = (bytes: number, outcomes: OutcomeCount[]): Made => ({
      sites: [{ cell: 'a.test', pages: 10, bytes, discovered: 13, settled: 13, outcomes }],
      hosts: ['a.test\t192.0.2.1\tagent-1\t12.5\t10\t0\t900'],
    })
    await learn('grown-0', seen(5_900, [came('OK', 10), came('HTTP_CLIENT_ERROR', 3)]))
    for (let crawl = 1; crawl <= 10; crawl++) {
      const isSame = crawl % 2 === 0
      // Every other time one page is sent again, as large as it was.
      const sent = isSame ? [came('NOT_MODIFIED', 10)] : [came('OK', 1), came('NOT_MODIFIED', 9)]
      const outcomes = [...sent, came('HTTP_CLIENT_ERROR', 3)]
      await learn(`grown-${crawl}`, seen(isSame ? 900 : 1_400, outcomes), `grown-${crawl - 1}`)
    }
    expect((await read('grown-10')).sites).toMatchObject([{ site: 'a.test', pages: 10, bytes: 5_900 }])
  })

  it('tells what agents were able to do, those too whose machines were not here this time', async () => {
    const able = (name: string, speed: number) => ({ name, lanes: 10, speed, room: 1 })
    const first = [able('agent-1', 50), able('near:7', 70), able('far:7', 80)]
    await learn('able', { sites: FIRST.sites, agents: first })
    await learn('abler', { sites: FIRST.sites, agents: [able('agent-1', 60), able('near:9', 75)] }, 'able')
    expect((await read('abler')).agents).toEqual([able('agent-1', 60), able('near:9', 75), able('far:7', 80)])
  })

  it('keeps more nets than fit into one piece', async () => {
    const count = 30_000
    const nets = Array.from({ length: count }, (_, i) => `${i + 1}\ta.test b.test not-crawled-${i}.example`)
    await learn('many', { ...FIRST, nets })
    await learn('many-kept', { sites: [{ cell: 'c.test' }] }, 'many')
    const { counts } = await read('many-kept')
    expect(counts).toHaveLength(count)
    expect(counts.reduce((sum, pages) => sum + pages, 0)).toBe((count * (count + 1)) / 2)
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
