/** Rules of the house: each is first seen to find what it forbids, then asked about the whole repository. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  bannedIn,
  bannedWords,
  environmentReads,
  filesOf,
  missingFiles,
  smallFiles,
  strayLimits,
  wideLines,
} from '../../scripts/tidy.js'

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
  ['src/cli/migrate.ts', 'one file per command'],
  ['src/cli/stop.ts', 'one file per command'],
  ['src/data/store/append-digest.ts', 'joins files/ and row logs, which must not know each other'],
  ['src/ledger/memory/memory-bindings.ts', 'one file per table of the ledger'],
  ['src/page/fetch/connect/forbidden-ports.ts', 'a table from the Fetch standard'],
  ['src/page/fetch/http/content-type-lines.ts', 'a rule of the Fetch standard'],
  ['src/verify/flipped-bit.ts', 'tested by itself'],
])

/** Sizes that a file format, a protocol or an algorithm fixes: nobody tunes them. */
const LAYOUT_WORDS =
  'BY_HAND BLOCK CHECKED CONTENT DAY DIGEST ENTRY FINGERPRINT FIRST FIXED FLAGS HALF HASH HEAD HEADER HEARD LENGTH LINE LITERAL NAME ON_HEAP PAGE PARTITION REFERENCE ROW SCHEME SLACK SLOT SUM TOKEN TRAILER UUID XML_DECLARATION'.split(
    ' ',
  )

/** Who reads the environment, and which variable. */
const ENVIRONMENT = [
  'src/cli/crawl.ts: all of it',
  'src/config/state-folder.ts: all of it',
  'src/ledger/postgres/postgres-credentials.ts: PGSSLMODE',
  'src/page/fetch/dns/hosts-file.ts: SystemRoot',
]

/** Named in prose, made when the program runs or by the reader. */
function isGenerated(name: string): boolean {
  return /^(?:dist\/|wasm\/|\.\.\/shared)|^(?:my-|products\.js$|crawl\.js$|index\.html$)|\/$/.test(name)
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

describe('numbers with a unit stand in the limits file of their floor', () => {
  it('a stray one is found, sizes of a format and computed ones are not', () => {
    const text = 'const LOOK_MS = 1_000\nconst HEAD_BYTES = 12\nconst ALL_BYTES = HEAD_BYTES * COUNT'
    expect(strayLimits('src/a.ts', text, LAYOUT_WORDS)).toEqual([
      'src/a.ts:1: LOOK_MS belongs into a limits.ts',
    ])
    expect(strayLimits('src/limits.ts', text, LAYOUT_WORDS)).toEqual([])
  })
  it('in this repository', () => {
    expect(texts.flatMap(([file, text]) => strayLimits(file, text, LAYOUT_WORDS))).toEqual([])
  })
})

describe('no test variable is read by the program', () => {
  it('a read is found', () => {
    expect(environmentReads('src/a.ts', 'readFaults(process.env.ORBWEAVER_FAULTS)')).toEqual([
      'src/a.ts: ORBWEAVER_FAULTS',
    ])
  })
  it('in this repository', () => {
    expect(texts.flatMap(([file, text]) => environmentReads(file, text)).sort()).toEqual(ENVIRONMENT)
  })
})
