/** Rules of the house: each is first seen to find what it forbids, then asked about the whole repository. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bannedIn, bannedWords, filesOf, missingFiles, smallFiles, wideLines } from '../../scripts/tidy.js'

const ROOT = join(import.meta.dirname, '../..')
const files = filesOf(ROOT)
const texts = files
  .filter(file => /\.(?:ts|js|md)$/.test(file))
  .map(file => [file, readFileSync(join(ROOT, file), 'utf8')] as const)
const BANNED = bannedWords(readFileSync(join(ROOT, 'docs/glossary.md'), 'utf8'))

/** Names that keep a banned word, with the reason. */
const KEPT_WORDS = new Map([
  ['src/plan/assign/learned/routes.ts', 'the name of a setting that ledgers have stored'],
  ['src/simulate/web/words.ts', 'the vocabulary of generated pages'],
  ['test/tidy/tidy.test.ts', 'this test'],
])

/** Small files that stay apart from their only importer, with the reason. */
const KEPT_SMALL = new Map([
  ['src/cli/experiment.ts', 'one file per command'],
  ['src/cli/stop.ts', 'one file per command'],
  ['src/cluster/agent/lane/known-links.ts', 'the implementation of a port of the parser'],
  ['src/data/store/append-digest.ts', 'joins files/ and row logs, which must not know each other'],
  ['src/ledger/memory/memory-bindings.ts', 'one file per table of the ledger'],
  ['src/page/fetch/connect/forbidden-ports.ts', 'a table from the Fetch standard'],
  ['src/page/fetch/http/content-type-lines.ts', 'a rule of the Fetch standard'],
  ['src/verify/flipped-bit.ts', 'tested by itself'],
])

/** Named in prose, made when the program runs or by the reader. */
function isGenerated(name: string): boolean {
  return /^(?:dist\/|wasm\/|\.\.\/shared)|^(?:my-|hooks\.js$|crawl\.js$|index\.html$)|\/$/.test(name)
}

describe('comments and docs are at most 110 columns wide', () => {
  it('a wide comment is found, wide code and tables are not', () => {
    const wide = 'x'.repeat(111)
    expect(wideLines('src/a.ts', `// ${wide}\nconst a = '${wide}'`)).toHaveLength(1)
    expect(wideLines('docs/a.md', `${wide}\n| ${wide} |\n\`\`\`\n${wide}\n\`\`\``)).toHaveLength(1)
  })
  it('in this repository', () => {
    expect(texts.flatMap(([file, text]) => wideLines(file, text))).toEqual([])
  })
})

describe('banned words of the glossary are not used', () => {
  it.each([
    'const helm = 1',
    'class ThreadCrew {}',
    '// the janitor',
    'import "./giving-back.js"',
    'at the head of S',
  ])('%s is found', line => expect(bannedIn('src/a.ts', line, BANNED)).toHaveLength(1))
  it('parts of other words are not', () => {
    expect(bannedIn('src/a.ts', 'overwhelming charm, harmless desktop', BANNED)).toEqual([])
  })
  it('in this repository', () => {
    const found = texts
      .filter(([file]) => !KEPT_WORDS.has(file))
      .flatMap(([file, text]) => bannedIn(file, text, BANNED))
    expect(found).toEqual([])
  })
})

describe('files that comments and docs name are there', () => {
  it('a missing one is found', () => {
    const text = '/** See `no/such-file.ts` and `model/url/url.ts`. */'
    expect(missingFiles('src/a.ts', text, files, isGenerated)).toEqual([
      'src/a.ts: names no/such-file.ts, which does not exist',
    ])
  })
  it('in this repository', () => {
    const prose = texts.filter(([file]) => file !== 'test/tidy/tidy.test.ts')
    expect(prose.flatMap(([file, text]) => missingFiles(file, text, files, isGenerated))).toEqual([])
  })
})

it('a small file with one importer is part of that importer', () => {
  expect(smallFiles(ROOT, files)).toEqual([...KEPT_SMALL.keys()])
})
