/** What a home refuses from a host that lies. */
import { describe, expect, it } from 'vitest'
import { boundsOf, hostKeys, MANIFEST } from '../../../test/kit/tour.js'
import { sealPart, writeDiscoveryRow, writeVisitRow } from '../bundle/index.js'
import { PART_LINKS } from '../limits.js'
import { readPart } from './read-part.js'

const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n'
const DAMAGED = `${HEAD.replace('Type: text/html', 'Encoding: gzip ')}${Buffer.from('1f8b0800000000000003ffff', 'hex').toString('latin1')}`
const VISIT = {
  url: 'http://a.test/',
  depth: 0,
  hops: 0,
  via: '',
  startedAt: 1,
  fetchMs: 2,
  headBytes: HEAD.length,
  payloadBytes: 4,
  truncated: '' as const,
}

async function read(
  sections: Partial<Record<'visits' | 'exchanges' | 'links', string>>,
  bounds = boundsOf(1),
) {
  const part = await sealPart(
    {
      manifest: {
        bundle: MANIFEST.id,
        cell: MANIFEST.cell,
        epoch: MANIFEST.epoch,
        number: 1,
        end: 'more',
        judged: 1,
        kept: 1,
        readBytes: 1,
        gzipPerMille: 0,
      },
      visits: Buffer.from(sections.visits ?? writeVisitRow(VISIT)),
      exchanges: Buffer.from(sections.exchanges ?? `${HEAD}page`, 'latin1'),
      judged: Buffer.alloc(0),
      links: Buffer.from(sections.links ?? ''),
    },
    hostKeys.privateKey,
  )
  return readPart(part, bounds)
}

const visits = (more: object) => writeVisitRow({ ...VISIT, ...more })
const linkTo = (url: string) => writeDiscoveryRow({ url, depth: 1, hops: 0, score: 0, via: '' })

describe('a part is refused', () => {
  it.each<[string, Parameters<typeof read>[0]]>([
    ['with a page of another site', { visits: visits({ url: 'http://b.test/' }) }],
    ['with a page of another origin of the site', { visits: visits({ url: 'https://a.test/' }) }],
    ['with a response that is not there', { visits: visits({ payloadBytes: 5 }) }],
    ['with bytes that belong to no response', { visits: visits({ payloadBytes: 3 }) }],
    ['with a head that does not end', { visits: visits({ headBytes: HEAD.length - 1, payloadBytes: 5 }) }],
    ['with a head that is not one', { exchanges: `${'x'.repeat(HEAD.length - 4)}\r\n\r\npage` }],
    ['with a body that cannot be decoded', { visits: visits({ payloadBytes: 12 }), exchanges: DAMAGED }],
    ['with a link that is not one', { links: linkTo('javascript:alert(1)') }],
    ['with more links than allowed', { links: linkTo('http://b.test/').repeat(PART_LINKS + 1) }],
  ])('%s', async (_, sections) => {
    expect(await read(sections)).toBeTypeOf('string')
  })

  it('with a body above --max-body', async () => {
    expect(await read({}, { ...boundsOf(1), bodyBytes: 3 })).toBeTypeOf('string')
  })

  it('and not without any of this', async () => {
    expect(await read({ links: linkTo('http://b.test/') })).toMatchObject({
      visits: [{ discovery: { url: 'http://a.test/' } }],
      links: [{ url: 'http://b.test/' }],
    })
  })
})

it('a visit of the future is one of now', async () => {
  const found = await read({ visits: visits({ startedAt: 8e12 }) }, { ...boundsOf(1), now: 5 })
  expect(found).toMatchObject({ visits: [{ exchange: { startedAt: 5 } }] })
})
