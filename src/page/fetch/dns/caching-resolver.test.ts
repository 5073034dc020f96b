import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { type DnsAnswer, DnsServer } from '../../../../test/kit/dns-server.js'
import { ManualClock } from '../../../../test/kit/manual-clock.js'
import { systemClock } from '../../../compose/index.js'
import type { FetchLimits } from '../../../model/index.js'
import { CachingResolver } from './caching-resolver.js'
import { HostsFile } from './hosts-file.js'
import { ServerLookup, SystemLookup } from './name-lookup.js'
import type { Resolution } from './resolver.js'
import { StaticHosts } from './static-hosts.js'

const closers: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

async function serverSaying(answer: (name: string, type: 'A' | 'AAAA') => DnsAnswer): Promise<DnsServer> {
  const server = await DnsServer.start(answer)
  closers.push(() => server.close())
  return server
}

const addresses = (resolution: Resolution): string[] =>
  resolution.ok ? resolution.endpoints.map(endpoint => endpoint.address) : []

async function asking(
  answer: (name: string, type: 'A' | 'AAAA') => DnsAnswer,
  limits: Partial<FetchLimits> = {},
): Promise<{ dns: DnsServer; clock: ManualClock; resolver: CachingResolver }> {
  const dns = await serverSaying(answer)
  const clock = new ManualClock()
  return { dns, clock, resolver: new CachingResolver({ clock, server: dns.address, limits }) }
}

describe('names are resolved', () => {
  test('to all their addresses, IPv4 first', async () => {
    const all = ['2606:4700::1', '192.0.2.1', '2606:4700::2', '192.0.2.2']
    const { resolver } = await asking(() => ({ addresses: all }))
    const found = addresses(await resolver.resolve('many.example'))
    expect(found.slice(0, 2).sort()).toEqual(['192.0.2.1', '192.0.2.2'])
    expect(found.slice(2).sort()).toEqual(['2606:4700::1', '2606:4700::2'])
  })

  test('to IPv6 alone where there is nothing else', async () => {
    const { resolver } = await asking(() => ({ addresses: ['2606:4700::1'] }))
    expect(addresses(await resolver.resolve('six.example'))).toEqual(['2606:4700::1'])
  })

  test('to a bounded number of addresses', async () => {
    const many = Array.from({ length: 90 }, (_, i) => `192.0.2.${i}`)
    const { resolver } = await asking(() => ({ addresses: many }))
    expect(addresses(await resolver.resolve('huge.example')).length).toBe(64)
  })

  test.each(['127.0.0.1', '[::1]', '::1'])('%s needs no question', async host => {
    const { dns, resolver } = await asking(() => 'nxdomain')
    expect(addresses(await resolver.resolve(host))).toEqual([host.replace(/[[\]]/g, '')])
    expect(dns.questions).toEqual([])
  })

  test.each([
    ['nxdomain', 'DNS_NOT_FOUND'],
    ['servfail', 'DNS_FAILED'],
  ] as const)('or not: %s is %s', async (answer, code) => {
    const { resolver } = await asking(() => answer)
    expect(await resolver.resolve('gone.example')).toMatchObject({ ok: false, code })
  })

  test('a name without addresses does not exist for us', async () => {
    const { resolver } = await asking(() => ({ addresses: [] }))
    expect(await resolver.resolve('empty.example')).toMatchObject({ ok: false, code: 'DNS_NOT_FOUND' })
  })

  test('"no such name" for one family and trouble with the other is trouble', async () => {
    const { resolver } = await asking((_, type) => (type === 'A' ? 'nxdomain' : 'servfail'))
    expect(await resolver.resolve('half.example')).toMatchObject({ ok: false, code: 'DNS_FAILED' })
  })

  test('silence about IPv6 does not hold up IPv4', async () => {
    const { dns, clock, resolver } = await asking((_, type) =>
      type === 'A' ? { addresses: ['192.0.2.1'] } : 'silent',
    )
    const pending = resolver.resolve('slow.example')
    let done = false
    void pending.then(() => {
      done = true
    })
    while (!done) {
      await new Promise(resolve => setTimeout(resolve, 5))
      if (dns.questions.length >= 2) clock.advance(100)
    }
    expect(addresses(await pending)).toEqual(['192.0.2.1'])
    expect(clock.monotonic()).toBeLessThan(10_000)
  })

  test('silence altogether ends by the deadline', async () => {
    const { dns, clock, resolver } = await asking(() => 'silent')
    const pending = resolver.resolve('mute.example')
    while (dns.questions.length < 2) await new Promise(resolve => setTimeout(resolve, 2))
    clock.advance(10_000)
    expect(await pending).toMatchObject({ ok: false, code: 'DNS_FAILED' })
  })
})

describe('answers are kept', () => {
  test('for their TTL, within bounds', async () => {
    const { dns, clock, resolver } = await asking(name => ({
      addresses: ['192.0.2.1'],
      ttl: name === 'short.example' ? 1 : name === 'long.example' ? 1e6 : 100,
    }))
    const questionsAfter = async (host: string, ms: number): Promise<number> => {
      clock.advance(ms)
      await resolver.resolve(host)
      return dns.questions.filter(question => question === `A ${host}`).length
    }
    expect(await questionsAfter('normal.example', 0)).toBe(1)
    expect(await questionsAfter('normal.example', 99_999)).toBe(1)
    expect(await questionsAfter('normal.example', 1)).toBe(2)
    expect(await questionsAfter('short.example', 0)).toBe(1)
    expect(await questionsAfter('short.example', 29_999)).toBe(1)
    expect(await questionsAfter('short.example', 1)).toBe(2)
    expect(await questionsAfter('long.example', 0)).toBe(1)
    expect(await questionsAfter('long.example', 3_599_999)).toBe(1)
    expect(await questionsAfter('long.example', 1)).toBe(2)
  })

  test('failures only for a moment', async () => {
    const { dns, clock, resolver } = await asking(() => 'nxdomain')
    await resolver.resolve('gone.example')
    await resolver.resolve('gone.example')
    expect(dns.questions.length).toBe(2)
    clock.advance(4_000)
    await resolver.resolve('gone.example')
    expect(dns.questions.length).toBe(4)
  })

  test('and those asked at the same time share one question', async () => {
    const { dns, resolver } = await asking(() => ({ addresses: ['192.0.2.1'] }))
    await Promise.all(Array.from({ length: 50 }, () => resolver.resolve('busy.example')))
    expect(dns.questions.length).toBe(2)
  })

  test('for a bounded number of names', async () => {
    const { dns, resolver } = await asking(() => ({ addresses: ['192.0.2.1'] }), { dnsCacheEntries: 2 })
    for (const host of ['a.example', 'b.example', 'c.example', 'c.example', 'b.example', 'a.example']) {
      await resolver.resolve(host)
    }
    expect(dns.questions.filter(question => question.startsWith('A ')).map(question => question[2])).toEqual([
      'a',
      'b',
      'c',
      'a',
    ])
  })

  test('a thousand names at once are all answered', async () => {
    const { resolver } = await asking(
      name => ({ addresses: [`192.0.2.${Number(name.slice(1, 4)) % 200}`] }),
      {
        dnsInFlight: 32,
      },
    )
    const hosts = Array.from({ length: 1000 }, (_, i) => `n${String(i).padStart(3, '0')}.example`)
    const found = await Promise.all(hosts.map(host => resolver.resolve(host)))
    expect(found.every((resolution, i) => addresses(resolution)[0] === `192.0.2.${i % 200}`)).toBe(true)
  })
})

describe('the system’s names', () => {
  async function system(
    answer: DnsAnswer,
    hostsText: string,
  ): Promise<{ dns: DnsServer; lookup: SystemLookup }> {
    const dns = await serverSaying(() => answer)
    const directory = await mkdtemp(join(tmpdir(), 'orbweaver-hosts-'))
    closers.push(() => rm(directory, { recursive: true }))
    const path = join(directory, 'hosts')
    await writeFile(path, hostsText)
    const servers = new ServerLookup(systemClock, 4_000, [dns.address])
    return { dns, lookup: new SystemLookup(new HostsFile(path), servers, 30_000) }
  }
  const HOSTS =
    '# comment\n192.0.2.7 Intra.example intra # own\n::7\tintra.example\nnot-an-address x.example\n'

  test('the hosts file goes first', async () => {
    const { dns, lookup } = await system('nxdomain', HOSTS)
    expect(await lookup.lookup('intra.example')).toMatchObject({ ok: true, addresses: ['192.0.2.7', '::7'] })
    expect(await lookup.lookup('intra')).toMatchObject({ ok: true, addresses: ['192.0.2.7'] })
    expect(dns.questions).toEqual([])
  })

  test('localhost needs neither file nor server', async () => {
    const { dns, lookup } = await system('nxdomain', '')
    expect(await lookup.lookup('localhost')).toMatchObject({ ok: true, addresses: ['127.0.0.1', '::1'] })
    expect(await new HostsFile('/nonexistent/hosts').find('localhost')).toEqual(['127.0.0.1', '::1'])
    expect(dns.questions).toEqual([])
  })

  test('name servers answer the rest', async () => {
    const { lookup } = await system({ addresses: ['192.0.2.1'], ttl: 77 }, HOSTS)
    expect(await lookup.lookup('other.example')).toEqual({
      ok: true,
      addresses: ['192.0.2.1'],
      ttlMs: 77_000,
    })
  })

  test('trouble with the name server stays trouble', async () => {
    const { lookup } = await system('servfail', HOSTS)
    expect(await lookup.lookup('x.example')).toMatchObject({ ok: false, code: 'DNS_FAILED' })
  })
})

describe('--resolve', () => {
  const hosts = (...entries: string[]): StaticHosts => {
    const parsed = StaticHosts.parse(entries)
    if (typeof parsed === 'string') throw new Error(parsed)
    return parsed
  }

  test('an exact name, then the longest suffix', () => {
    const found = hosts('a.test=192.0.2.1', '*.test=192.0.2.2:81', '*.b.test=192.0.2.3', '*.test=192.0.2.4')
    expect(found.find('a.test')).toEqual([{ address: '192.0.2.1', trusted: true }])
    expect(found.find('x.test')?.map(({ address, port }) => [address, port])).toEqual([
      ['192.0.2.2', 81],
      ['192.0.2.4', undefined],
    ])
    expect(found.find('x.b.test')?.[0].address).toBe('192.0.2.3')
    expect(found.find('y.x.b.test')?.[0].address).toBe('192.0.2.3')
    expect(found.find('b.test')?.[0].address).toBe('192.0.2.2')
    expect(found.find('test')).toBeUndefined()
    expect(found.find('other.example')).toBeUndefined()
  })

  test.each([
    ['h=::1', '::1', undefined],
    ['h=[::1]', '::1', undefined],
    ['h=[::1]:8080', '::1', 8080],
    ['H=127.0.0.1:8080', '127.0.0.1', 8080],
  ])('%s', (entry, address, port) => {
    expect(hosts(entry).find('h')).toEqual([
      { address, trusted: true, ...(port === undefined ? {} : { port }) },
    ])
  })

  test.each([
    'h',
    '=1.2.3.4',
    'h=',
    'h=name',
    'h=1.2.3.4:0',
    'h=1.2.3.4:99999',
    'h=1.2.3.4:x',
    '*=1.2.3.4',
    'a.*.b=1.2.3.4',
  ])('%j is refused with a sentence', entry => {
    expect(StaticHosts.parse([entry])).toBe(`"${entry}" is not HOST=ADDR[:PORT]`)
  })
})
