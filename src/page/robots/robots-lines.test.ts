import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RobotsRules } from './robots-rules.js'

const parse = (text: string): RobotsRules => RobotsRules.parse(Buffer.from(text), 'orbweaver')

test.each(['\n', '\r\n', '\r'])('a file of many lines that end in %j is read to its end and counted', end => {
  const spelled = [
    (i: number) => `Disallow: /p${i}/`,
    () => '',
    () => '# note',
    (i: number) => `dissalow :/p${i}/`,
  ]
  const lines = Array.from({ length: 20_000 }, (_, i) => spelled[i % 4]!(i))
  const rules = parse(['User-agent: *', ...lines].join(end))
  for (const i of [0, 3, 4_092, 4_095, 4_096, 8_191, 12_288, 12_291, 19_996, 19_999]) {
    const verdict = rules.allows(`https://example.org/p${i}/`)
    expect(verdict).toEqual({ allowed: false, line: { number: i + 2, text: lines[i] } })
  }
  expect(rules.allows('https://example.org/p1/').allowed).toBe(true)
})

test('a long file reads like the same lines in a short one, whatever they are and wherever it ends', () => {
  const line = fc.constantFrom(
    ...[
      'Disallow: /a',
      'allow:/a/b',
      'ALLOW : /*b$',
      'Disallow',
      'disallow:',
      'Disallow /c',
      'user-agent: *',
    ],
    ...[
      'User-agent: orbweaver/2',
      'useragent: x',
      'user\ragent: *',
      'Allow',
      'Disallowed: /d',
      '#',
      '\0',
      ' ',
    ],
    ...[
      'Crawl-delay: 2',
      'Disallow: /e # why',
      'Disa',
      'User-agen',
      '\t Disallow\t:\t/f \t',
      'allow',
      'x: y',
    ],
  )
  const filler = '# comment\n'.repeat(5_000)
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), fc.constantFrom('', '\n', '\r', ' '), (lines, end) => {
      const text = `User-agent: *\n${lines.join('\n')}${end}`
      const [short, long] = [parse(text), parse(filler + text)]
      expect(long.crawlDelayMs).toBe(short.crawlDelayMs)
      for (const path of ['/a', '/a/b', '/c', '/d', '/e', '/f', '/g']) {
        const one = short.allows(`https://example.org${path}`)
        const other = long.allows(`https://example.org${path}`)
        expect(other.allowed).toBe(one.allowed)
        expect(other.line?.number).toBe(one.line && one.line.number + 5_000)
      }
    }),
    { numRuns: 200 },
  )
})
