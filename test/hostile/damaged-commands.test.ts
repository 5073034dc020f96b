/**
 * What a user sees of a damaged crawl: one line with the repair command and exit code 8, never a bug, never a
 * wrong answer.
 *
 * @module-tag deep
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'libsql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/compose/index.js'
import { WebPlan, WebServer } from '../../src/simulate/web/index.js'
import { type Ended, GENERATED, orbweaver, start, temporary } from '../kit/orbweaver.js'

/** Stands for 100 MB of them. */
const SPACES = 'spaces'
const COUNT = ['SELECT count(*) AS n FROM pages', '--format', 'csv']

let web: WebServer
let killed: string
let finished: string
let slow: WebServer

beforeAll(async () => {
  const plan = (pages: number) => new WebPlan({ sites: 3, pages, seed: 8 })
  web = await WebServer.listen(plan(40), { clock: systemClock, port: 0 })
  slow = await WebServer.listen(plan(6_000), { clock: systemClock, port: 0 })
  finished = temporary('finished')
  expect((await orbweaver(['crawl', web.seed, ...GENERATED, '--out', finished])).code).toBe(0)
  killed = temporary('killed')
  const crawl = start(['crawl', slow.seed, ...GENERATED, '--delay', '40', '--out', killed])
  while ((await rowsIn(killed)) < 10) expect(crawl.process.exitCode, crawl.said()).toBeNull()
  crawl.process.kill('SIGKILL')
  await crawl.ended
})
afterAll(async () => {
  await web.close()
  await slow.close()
})

/** 0 before there is a crawl. */
async function rowsIn(directory: string): Promise<number> {
  const { code, stdout, stderr } = await orbweaver(['query', directory, ...COUNT])
  if (code !== 0) expect(stderr).toMatch(/there is no directory|is not a crawl/)
  return code === 0 ? Number(stdout.split('\r\n')[1]) : 0
}

function copyOf(directory: string): string {
  const copy = temporary('copy')
  cpSync(directory, copy, { recursive: true })
  return copy
}

/** The first file of a folder whose name contains `part`. */
function fileIn(directory: string, folder: string, part: string): string {
  const name = readdirSync(join(directory, folder)).find(entry => entry.includes(part))
  if (name === undefined) throw new Error(`no ${part} in ${folder}`)
  return join(directory, folder, name)
}

function flip(path: string): void {
  const bytes = readFileSync(path)
  bytes[60] ^= 1
  writeFileSync(path, bytes)
}

function expectRefused(end: Ended, file: RegExp): void {
  expect(end.stderr).toMatch(/^orbweaver: [^\n]+; run "orbweaver repair [^\n]+"\n$/)
  expect(end.stderr).toMatch(file)
  expect([end.code, end.stdout]).toEqual([8, ''])
}

describe('a flipped bit in a row log of a killed crawl', () => {
  let directory: string
  beforeAll(() => {
    directory = copyOf(killed)
    flip(fileIn(directory, 'tables/pages', '.rows'))
  })

  it('is found by verify', async () => {
    const { code, stdout } = await orbweaver(['verify', directory, '--json'])
    expect(code).toBe(8)
    expect(JSON.parse(stdout)).toMatchObject({
      sound: false,
      damaged: [{ file: expect.stringMatching(/\.rows$/), kind: 'rows', what: 'altered' }],
      notes: [],
    })
  })

  it('is refused by query and by resume, which changes no file', async () => {
    const before = readdirSync(directory, { recursive: true }).filter(
      name => !/ledger|lock|log$/.test(String(name)),
    )
    expectRefused(await orbweaver(['query', directory, ...COUNT]), /tables\/pages\/.*\.rows/)
    expectRefused(await orbweaver(['resume', directory]), /tables\/pages\/.*\.rows/)
    const after = readdirSync(directory, { recursive: true }).filter(
      name => !/ledger|lock|log$/.test(String(name)),
    )
    expect(after).toEqual(before)
  })
})

it('a journal of a killed crawl that does not decode ends resume with one line, not as a bug', async () => {
  const directory = copyOf(killed)
  const ledger = new Database(join(directory, 'ledger.db'))
  ledger.prepare('UPDATE pack_cell SET journal = substr(journal, 1, length(journal) - 1)').run()
  ledger.close()
  const { code, stderr } = await orbweaver(['resume', directory])
  expect(stderr).toMatch(
    /the ledger is damaged: a journal of [^\n]+; run "orbweaver repair" on the directory/,
  )
  expect(stderr).not.toContain('bug')
  expect(code).toBe(8)
})

it('so does a journal without its beginning where a recrawl reads it', async () => {
  const directory = copyOf(killed)
  const ledger = new Database(join(directory, 'ledger.db'))
  ledger.prepare('UPDATE pack_cell SET journal = zeroblob(20)').run()
  ledger.close()
  const next = ['crawl', web.seed, ...GENERATED, '--previous', directory, '--out', temporary('next')]
  const { code, stderr } = await orbweaver(next)
  expect(stderr).toMatch(/the ledger is damaged: a journal of [^\n]+; run "orbweaver repair"/)
  expect(stderr).not.toContain('bug')
  expect(code).toBe(8)
})

describe('a damaged finished crawl', () => {
  let odd: string
  beforeAll(() => {
    odd = copyOf(finished)
  })

  it('is sound before', async () => {
    expect(await orbweaver(['verify', finished])).toMatchObject({ code: 0, stdout: '' })
  })

  it('a flipped bit in Parquet is refused by query, export and --previous', async () => {
    const directory = copyOf(finished)
    flip(fileIn(directory, 'tables/pages', '.parquet'))
    expectRefused(await orbweaver(['query', directory, ...COUNT]), /tables\/pages\/.*\.parquet is damaged/)
    expectRefused(
      await orbweaver(['export', directory, '--to', 'jsonl', '--out', '-']),
      /\.parquet is damaged/,
    )
    const next = ['crawl', web.seed, ...GENERATED, '--previous', directory, '--out', temporary('next')]
    expectRefused(await orbweaver(next), /\.parquet is damaged/)
    const { code, stdout } = await orbweaver(['verify', directory, '--quick'])
    expect([code, stdout.split('\n')]).toEqual([8, [expect.stringContaining('checksum differs'), '']])
  })

  it('a damaged ledger gives the right answer or none, and is not steered', async () => {
    const directory = copyOf(finished)
    const expected = await rowsIn(directory)
    flip(join(directory, 'ledger.db'))
    for (const args of [
      ['status', directory],
      ['set', directory, 'rate=5'],
      ['resume', directory],
    ])
      expectRefused(await orbweaver(args), /ledger\.db is damaged/)
    const answer = await orbweaver(['query', directory, ...COUNT])
    expect([answer.code, answer.stdout]).toEqual([0, `n\r\n${expected}\r\n`])
    expect(answer.stderr).toContain('the answer comes from tables/manifest.json')
    rmSync(join(directory, 'tables/manifest.json'))
    expectRefused(await orbweaver(['query', directory, ...COUNT]), /ledger\.db is damaged/)
    rmSync(join(directory, 'ledger.db'))
    expectRefused(await orbweaver(['query', directory, ...COUNT]), /ledger\.db is missing/)
  })

  it('a crawl.json that is still JSON is refused', async () => {
    const directory = copyOf(finished)
    const path = join(directory, 'crawl.json')
    writeFileSync(path, readFileSync(path, 'utf8').replace('"delay": 0', '"delay": 1'))
    for (const args of [
      ['status', directory],
      ['resume', directory],
    ])
      expectRefused(await orbweaver(args), /crawl\.json is damaged: its checksum differs/)
  })

  it.each([
    ['null', /crawl\.json is damaged: it does not hold a JSON object/],
    ['[]', /crawl\.json is damaged: it does not hold a JSON object/],
    ['7', /crawl\.json is damaged: it does not hold a JSON object/],
    ['', /crawl\.json is damaged: it does not hold a JSON object/],
    [SPACES, /crawl\.json is damaged: it does not hold a JSON object/],
    ['{}', /crawl\.json is damaged: it does not say its format/],
    ['{"format":"1"}', /crawl\.json is damaged: it does not say its format/],
    ['{"format":1}', /crawl\.json is damaged: it holds no settings/],
    ['{"format":1,"config":[]}', /crawl\.json is damaged: it holds no settings/],
  ])('a crawl.json of %j is damage', async (text, message) => {
    writeFileSync(join(odd, 'crawl.json'), text === SPACES ? ' '.repeat(100_000_000) : text)
    expectRefused(await orbweaver(['status', odd]), message)
  })

  it('a crawl.json that is a folder is damage', async () => {
    rmSync(join(odd, 'crawl.json'))
    mkdirSync(join(odd, 'crawl.json'))
    expectRefused(await orbweaver(['status', odd]), /crawl\.json is damaged/)
    rmSync(join(odd, 'crawl.json'), { recursive: true })
  })

  it('a folder where a file should be is damage, and a path that cannot be is bad input', async () => {
    const directory = copyOf(finished)
    rmSync(join(directory, 'report.json'))
    mkdirSync(join(directory, 'report.json'))
    const resumed = await orbweaver(['resume', directory, '--trust'])
    expect(resumed.stderr).toMatch(/orbweaver: a folder where a file should be: [^\n]+report\.json[^\n]+\n$/)
    expect(resumed.code).toBe(8)
    const out = join(directory, 'crawl.json', 'part', 'x.jsonl')
    for (const place of [out, join(directory, 'x'.repeat(300))]) {
      const exported = await orbweaver(['export', finished, '--to', 'jsonl', '--out', place])
      expect(exported.stderr).toMatch(/^orbweaver: invalid path: [^\n]+\n$/)
      expect(exported.code).toBe(4)
    }
  })

  it.each([
    ['{"format":1,"config":{}}', 4, /crawl\.json has a setting that is not right: give at least one URL/],
    [
      '{"format":1,"config":{"seeds":[{"toString":1}]}}',
      4,
      /setting that is not right: "\{"toString":1\}" is not/,
    ],
    ['{"format":1,"config":{"seeds":"a.test","delay":{}}}', 4, /setting that is not right: --delay must be/],
    [
      '{"format":1,"config":{"seeds":"a.test","new":1}}',
      4,
      /setting that is not right: unknown setting "new"/,
    ],
    ['{"format":2}', 7, /was written by a newer orbweaver; update orbweaver/],
  ])('a crawl.json of %s is told in one line', async (text, expected, message) => {
    writeFileSync(join(odd, 'crawl.json'), text)
    const { code, stdout, stderr } = await orbweaver(['status', odd])
    expect(stderr).toMatch(/^orbweaver: [^\n]+\n$/)
    expect(stderr).toMatch(message)
    expect([code, stdout]).toEqual([expected, ''])
  })

  it('a damaged WARC is left out of an export, which says so and ends with 8', async () => {
    const directory = copyOf(finished)
    const warc = fileIn(directory, 'archive', '.warc')
    writeFileSync(warc, readFileSync(warc).fill(0, 4_096, 60_000))
    const { code, stderr } = await orbweaver([
      'export',
      directory,
      '--to',
      'files',
      '--out',
      temporary('files'),
    ])
    expect(stderr).toMatch(/the archive is damaged: \d+ records?; run "orbweaver repair /)
    expect(code).toBe(8)
  })
})
