import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readDiscoveryRows, readVisitRows, writeDiscoveryRow, writeVisitRow } from './rows.js'

const path = fc.array(fc.constantFrom('a', 'b-c', '%20', 'ä', '?x=1', '"')).map(parts => parts.join('/'))
const url = path.map(text => new URL(`/${text}`, 'https://example.org').href.split('#')[0]!)
const count = fc.nat()

describe('rows of a section', () => {
  it('are read as they were written', () => {
    const discovery = fc.record({ url, depth: count, hops: count, score: fc.constant(0), via: url })
    const visit = fc.record({
      url,
      depth: count,
      hops: count,
      via: url,
      startedAt: count,
      fetchMs: count,
      headBytes: count,
      payloadBytes: count,
      truncated: fc.constantFrom('' as const, 'length' as const),
    })
    fc.assert(
      fc.property(fc.array(discovery), fc.array(visit), (discoveries, visits) => {
        const links = Buffer.from(discoveries.map(writeDiscoveryRow).join(''))
        expect([...readDiscoveryRows(links)]).toEqual(discoveries)
        const section = Buffer.from(visits.map(writeVisitRow).join(''))
        expect([...readVisitRows(section, 'https://example.org')]).toEqual(visits)
      }),
    )
  })

  it.each([
    '7',
    'null',
    '{}',
    '[]',
    'no JSON',
    '["https://example.org/",0,0,0]',
    '["ftp://example.org/",0,0,0,""]',
    '["https://EXAMPLE.org/",0,0,0,""]',
    '["https://user@example.org/",0,0,0,""]',
    '["https://example.org/",-1,0,0,""]',
    '["https://example.org/",1.5,0,0,""]',
    '["https://example.org/",0,0,2,""]',
    '["https://example.org/",0,0,0,"a\\nb"]',
    `["https://example.org/${'a'.repeat(2_048)}",0,0,0,""]`,
  ])('the discovery %s is refused', line => {
    expect([...readDiscoveryRows(Buffer.from(line))]).toEqual([null])
  })

  it.each([
    '["https://example.com/",0,0,"",0,0,0,0,""]',
    '["http://example.org/",0,0,"",0,0,0,0,""]',
    '["https://example.org/",0,0,"",0,0,-1,0,""]',
    '["https://example.org/",0,0,"",0,0,0,1e300,""]',
    '["https://example.org/",0,0,"",0,0,0,0,"some"]',
    '["https://example.org/",0,0,"",0,0,0,0]',
  ])('the visit %s is refused', line => {
    expect([...readVisitRows(Buffer.from(line), 'https://example.org')]).toEqual([null])
  })

  it('after a bad one are not read', () => {
    const good = '["https://example.org/",0,0,0,""]'
    expect([...readDiscoveryRows(Buffer.from(`${good}\nbad\n${good}`))]).toHaveLength(2)
  })
})
