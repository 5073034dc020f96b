/**
 * A crawl directory whose files change behind its back: single bits, zeroed blocks, cut, lost and exchanged
 * files. `verify` must find every one, and `query` either refuse or answer as before. ORBWEAVER_FLIPS sets
 * how many single bits per crawl.
 */
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, extname, join, relative } from 'node:path'
import Database from 'libsql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/compose/index.js'
import { openTables } from '../../src/data/query/index.js'
import { DamageError } from '../../src/files/index.js'
import { checkLedger, openLedgerToRead } from '../../src/ledger/sqlite/index.js'
import { loadZstd } from '../../src/model/bytes/index.js'
import { SeededRandom } from '../../src/model/index.js'
import { WebPlan, WebServer } from '../../src/simulate/web/index.js'
import { type Damage, verifyDirectory } from '../../src/verify/index.js'
import { MadeCrawl } from '../kit/made-crawl.js'
import { GENERATED, orbweaver, start, temporary } from '../kit/orbweaver.js'

const FLIPS = Number(process.env.ORBWEAVER_FLIPS ?? 60)
const SEED = Number(process.env.ORBWEAVER_FLIP_SEED ?? 17)
const BLOCK_BYTES = 4096
/** For people, or SQLite's own: nothing is answered from them. */
const NO_DATA = /^(?:lock.*|crawl\.log|frontier\/.*|ledger\.db-(?:wal|shm)|.*\.tmp)$/
/** Every row of every table, in whatever order they lie. */
const QUERIES = ['pages', 'links', 'sites'].map(
  table => `SELECT count(*), bit_xor(hash(${table}))::VARCHAR FROM ${table}`,
)

interface Target {
  readonly directory: string
  /** Files with as many bytes as count. */
  readonly files: ReadonlyMap<string, number>
  readonly answer: string
}

async function targetOf(directory: string, without?: RegExp): Promise<Target> {
  const ledger = openLedgerToRead(join(directory, 'ledger.db'), () => 0)
  const committed = new Map((await ledger.files()).map(({ name, bytes }) => [`${name}.open`, bytes]))
  await ledger.close()
  const files = new Map<string, number>()
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    const name = relative(directory, join(entry.parentPath, entry.name))
    if (!entry.isFile() || NO_DATA.test(name) || without?.test(name)) continue
    const bytes = name.endsWith('.open') ? (committed.get(name) ?? 0) : statSync(join(directory, name)).size
    if (bytes > 0) files.set(name, bytes)
  }
  expect(await damageIn(directory)).toEqual([])
  return { directory, files, answer: await answerOf(directory) }
}

async function damageIn(directory: string, note = (_line: string) => {}): Promise<readonly Damage[]> {
  const found: Damage[] = []
  for await (const damage of verifyDirectory(directory, { note })) found.push(damage)
  return found
}

async function answerOf(directory: string): Promise<string> {
  const tables = await openTables(directory, { threads: 1 })
  try {
    const rows: unknown[] = []
    for (const sql of QUERIES) for await (const row of tables.query(sql)) rows.push(row)
    return JSON.stringify(rows)
  } finally {
    await tables.close()
  }
}

const tally = { changes: 0, refused: 0, unaffected: 0 }

/** `changed` says what was done to `name`; the caller undoes it. */
async function expectFound({ directory, answer }: Target, name: string, changed: string): Promise<void> {
  const damage = await damageIn(directory)
  const found = damage.map(({ file }) => file)
  expect(found, `verify after ${changed}`).toContain(name.replace(/\.open$/, ''))
  for (const { file, detail } of damage) expect(`${file} ${detail}`).not.toMatch(/\n|bug/)
  tally.changes++
  try {
    expect(await answerOf(directory), `query after ${changed}`).toBe(answer)
    tally.unaffected++
  } catch (error) {
    if (!(error instanceof DamageError)) throw error
    expect(error.message).toMatch(/^[^\n]+; run "orbweaver repair [^\n]+"$/)
    tally.refused++
  }
}

/** Runs `change` on the bytes of a file, lets it be looked for, and restores it. */
async function spoiled(
  target: Target,
  name: string,
  label: string,
  change: (bytes: Buffer) => Buffer,
): Promise<void> {
  const path = join(target.directory, name)
  const whole = readFileSync(path)
  const bad = change(Buffer.from(whole))
  if (bad.equals(whole)) return
  writeFileSync(path, bad)
  try {
    await expectFound(target, name, `${label} in ${name}`)
  } finally {
    writeFileSync(path, whole)
  }
}

async function flipBits(target: Target): Promise<void> {
  const random = new SeededRandom(SEED)
  const below = (bound: number) => Math.floor(random.next() * bound)
  const names = [...target.files.keys()]
  for (let i = 0; i < FLIPS; i++) {
    // By turns, so that small files have their share.
    const name = names[i % names.length]
    const bit = below(target.files.get(name)! * 8)
    await spoiled(target, name, `bit ${bit} flipped`, bytes => {
      bytes[bit >> 3] ^= 1 << (bit & 7)
      return bytes
    })
  }
}

async function cutAndBlank(target: Target): Promise<void> {
  for (const [name, bytes] of target.files) {
    await spoiled(target, name, 'a cut', whole => whole.subarray(0, bytes - 1))
    await spoiled(target, name, 'a cut to nothing', () => Buffer.alloc(0))
    await spoiled(target, name, 'a zeroed block', whole => {
      const at = bytes > BLOCK_BYTES ? BLOCK_BYTES : 0
      return whole.fill(0, at, Math.min(at + BLOCK_BYTES, bytes))
    })
  }
}

async function loseAndSwap(target: Target, isOptional: (name: string) => boolean): Promise<void> {
  const place = (name: string) => join(target.directory, name)
  const aside = `${target.directory}-aside`
  for (const name of target.files.keys()) {
    renameSync(place(name), aside)
    if (!isOptional(name)) await expectFound(target, name, `the loss of ${name}`)
    renameSync(aside, place(name))
  }
  const names = [...target.files.keys()]
  for (const [i, one] of names.entries()) {
    const other = names.slice(i + 1).find(name => extname(name) === extname(one))
    if (other === undefined) continue
    const swap = () => {
      renameSync(place(one), aside)
      renameSync(place(other), place(one))
      renameSync(aside, place(other))
    }
    swap()
    await expectFound(target, one, `the exchange of ${one} and ${other}`)
    swap()
  }
}

let web: WebServer
beforeAll(async () => {
  web = await WebServer.listen(new WebPlan({ sites: 3, pages: 60, seed: 5 }), { clock: systemClock, port: 0 })
})
afterAll(async () => {
  await web.close()
  console.log(
    `${tally.changes} changes: query refused ${tally.refused}, answered the same ${tally.unaffected}`,
  )
})

describe('a finished crawl', { tags: 'deep' }, () => {
  let target: Target
  beforeAll(async () => {
    const out = temporary('finished')
    expect((await orbweaver(['crawl', web.seed, ...GENERATED, '--agents', '2', '--out', out])).code).toBe(0)
    target = await targetOf(out)
    expect([...target.files.keys()].map(name => extname(name))).toEqual(
      expect.arrayContaining(['.gz', '.cdxj', '.parquet', '.json', '.db', '.sums']),
    )
  })

  it('every flipped bit is found', () => flipBits(target))
  it('cut files and zeroed blocks are found', () => cutAndBlank(target))
  it('lost and exchanged files are found', async () => {
    // Without its sums nothing is known of the pages of a ledger.
    await loseAndSwap(target, name => name === 'ledger.db.sums')
    const sums = readFileSync(join(target.directory, 'ledger.db.sums'))
    rmSync(join(target.directory, 'ledger.db.sums'))
    const notes: string[] = []
    expect(await damageIn(target.directory, line => notes.push(line))).toEqual([])
    expect(notes).toEqual([expect.stringContaining('nothing is known of its pages')])
    writeFileSync(join(target.directory, 'ledger.db.sums'), sums)
  })
})

describe('a crawl with rows that are not Parquet yet', () => {
  let made: MadeCrawl
  let target: Target
  beforeAll(async () => {
    await loadZstd()
    made = new MadeCrawl({ archive: 'zstd' })
    for (let pack = 0; pack < 4; pack++) {
      const pages = Array.from({ length: 5 }, (_, i) => ({
        url: `http://a.test/${pack}/${i}`,
        body: `<title>Page ${i}</title><p>${'some words '.repeat(50 + i)}`,
        links: [`http://b.test/${i}`],
      }))
      await made.add(pages)
      if (pack === 1) await made.merge()
    }
    await made.ledger.close()
    // Its connection ends with this process, so there is a log, and what is in it counts from there.
    target = await targetOf(made.dir, /^ledger\.db$/)
    expect([...target.files.keys()].join(' ')).toMatch(/\.rows\.open.*|\.rows/)
  })
  afterAll(() => made.remove())

  it('every flipped bit is found', () => flipBits(target))
  it('cut files and zeroed blocks are found', () => cutAndBlank(target))
  it('lost and exchanged files are found', () => loseAndSwap(target, name => name === 'ledger.db.sums'))
})

describe('a crawl that was killed', { tags: 'deep' }, () => {
  let target: Target
  beforeAll(async () => {
    const out = temporary('killed')
    const large = await WebServer.listen(new WebPlan({ sites: 4, pages: 4_000, seed: 6 }), {
      clock: systemClock,
      port: 0,
    })
    const crawl = start(['crawl', large.seed, ...GENERATED, '--delay', '30', '--out', out])
    try {
      while ((await pagesIn(out)) < 20) await new Promise(resolve => setTimeout(resolve, 200))
    } finally {
      crawl.process.kill('SIGKILL')
      await crawl.ended
      await large.close()
    }
    // A page that is in the log too is read from there: what is flipped in its old place has no effect.
    target = await targetOf(out, /^ledger\.db$/)
  })

  it('every flipped bit is found in the committed part of its files', () => flipBits(target))
  it('cut files and zeroed blocks are found', () => cutAndBlank(target))
  it('lost and exchanged files are found', () => loseAndSwap(target, name => name === 'ledger.db.sums'))

  it('every bit flipped in its ledger or its log is found, or changes nothing', async () => {
    const { directory, answer } = target
    const content = ledgerContent(directory)
    const random = new SeededRandom(SEED + 1)
    const found = { 'ledger.db': 0, 'ledger.db-wal': 0 }
    for (let i = 0; i < FLIPS; i++) {
      const name = i % 2 === 0 ? 'ledger.db' : 'ledger.db-wal'
      const path = join(directory, name)
      const whole = readFileSync(path)
      const bit = Math.floor(random.next() * whole.length * 8)
      const bad = Buffer.from(whole)
      bad[bit >> 3] ^= 1 << (bit & 7)
      writeFileSync(path, bad)
      try {
        if (checkLedger(directory).at === 'damaged') {
          await expectFound(target, name, `bit ${bit} flipped in ${name}`)
          found[name]++
        } else {
          expect(ledgerContent(directory), `bit ${bit} of ${name}`).toBe(content)
          expect(await answerOf(directory)).toBe(answer)
        }
      } finally {
        writeFileSync(path, whole)
      }
    }
    expect(found['ledger.db-wal']).toBeGreaterThan(0)
  })
})

/** Every row of every table, as SQLite recovers them from a copy. */
function ledgerContent(directory: string): string {
  const copy = join(temporary('content'), 'ledger.db')
  mkdirSync(dirname(copy))
  for (const part of ['', '-wal']) copyFileSync(join(directory, `ledger.db${part}`), copy + part)
  const db = new Database(copy)
  try {
    const all = (sql: string) => db.prepare(sql).raw().all() as unknown[][]
    const tables = all("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").flat()
    return JSON.stringify(tables.map(name => [name, all(`SELECT * FROM "${name}"`)]))
  } finally {
    db.close()
  }
}

/** 0 as long as there is nothing to ask. */
async function pagesIn(directory: string): Promise<number> {
  try {
    return (JSON.parse(await answerOf(directory)) as [{ 'count_star()': number }])[0]['count_star()']
  } catch {
    return 0
  }
}
