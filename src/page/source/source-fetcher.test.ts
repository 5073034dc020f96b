import { describe, expect, test } from 'vitest'
import type { Source } from '../../config/index.js'
import type { Fetcher, FetchRequest } from '../fetch/index.js'
import { SourceFetcher } from './source-fetcher.js'
import { SourceTable } from './source-table.js'

const table = new SourceTable([
  'https://a.test/=dir:/all',
  'https://a.test/docs/=dir:/docs',
  'https://a.test/docs/v2/=http://127.0.0.1:1',
  'http://b.test/part/=warc:/b.warc',
])
const rootOf = (source: Source | null) => (source === null ? null : (Object.values(source).at(-1) as string))

describe('the source of a URL', () => {
  test.each([
    ['https://a.test/', '/all'],
    ['https://a.test/docs', '/all'],
    ['https://a.test/docs/x', '/docs'],
    ['https://a.test/docs/v2/x?y', 'http://127.0.0.1:1'],
    ['https://a.test:444/', null],
    ['http://a.test/', null],
    ['https://sub.a.test/', null],
    ['http://b.test/', null],
    ['http://b.test/party', null],
    ['http://b.test/part/', '/b.warc'],
  ])('%s is %s', (url, root) => expect(rootOf(table.find(url))).toBe(root))

  test('is an archive for all other URLs with *', () => {
    const all = new SourceTable(['*=warc:/x.warc', 'https://a.test/=dir:/all'])
    expect(rootOf(all.find('https://a.test/'))).toBe('/all')
    expect(rootOf(all.find('http://any.test:8080/x'))).toBe('/x.warc')
  })

  test('is local unless a server is asked', () => {
    expect(table.isLocal('https://a.test/x')).toBe(true)
    expect(table.isLocal('https://a.test/docs/v2/x')).toBe(false)
    expect(table.isLocal('http://c.test/')).toBe(false)
    expect(new SourceTable([]).isEmpty).toBe(true)
  })
})

interface Asked extends FetchRequest {
  readonly of: string
}

function recording(of: string, asked: (Asked | string)[]): Fetcher {
  return {
    fetch: async request => {
      asked.push({ ...request, of })
      return { ok: false, code: 'RESET', detail: of }
    },
    resolve: async host => {
      asked.push(`${of} resolves ${host}`)
      return ['192.0.2.1']
    },
    setConnections: (total, perSite) => void asked.push(`${of} ${total} ${perSite}`),
    close: async () => void asked.push(`${of} closed`),
  }
}

test('a request goes to its source, without an address of the site; the rest to the server', async () => {
  const asked: (Asked | string)[] = []
  const signal = new AbortController().signal
  const open = (source: Source) => recording(rootOf(source) ?? '', asked)
  const fetcher = new SourceFetcher({ table, server: recording('server', asked), open })
  fetcher.setConnections(7, 2)
  await fetcher.fetch({ url: 'https://a.test/docs/v2/x', address: '192.0.2.9' }, signal)
  await fetcher.fetch({ url: 'https://a.test/docs/v2/y' }, signal)
  await fetcher.fetch({ url: 'http://c.test/', address: '192.0.2.9' }, signal)
  expect(await fetcher.resolve('a.test')).toEqual([])
  expect(await fetcher.resolve('b.test')).toEqual(['192.0.2.1'])
  await fetcher.close()
  expect(asked).toEqual([
    'server 7 2',
    'http://127.0.0.1:1 7 2',
    { url: 'https://a.test/docs/v2/x', address: undefined, of: 'http://127.0.0.1:1' },
    { url: 'https://a.test/docs/v2/y', of: 'http://127.0.0.1:1' },
    { url: 'http://c.test/', address: '192.0.2.9', of: 'server' },
    'server resolves b.test',
    'server closed',
    'http://127.0.0.1:1 closed',
  ])
})
