/**
 * Nothing in a crawl directory leads out of it: no link, and no name in ledger, manifest or learned files,
 * trusted or not.
 *
 * @module-tag deep
 */
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import Database from 'libsql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EXIT } from '../../src/cli/exit/index.js'
import { writeSealed } from '../../src/files/index.js'
import { copyOf, newUser, smallSite, stoppedCrawl } from '../kit/foreign-directory.js'
import { orbweaver, temporary } from '../kit/orbweaver.js'
import type { SmallWeb } from '../kit/small-web.js'

const PRECIOUS = 'not yours\n'.repeat(1_000)

let web: SmallWeb
let theirs: string
let me: Record<string, string>

beforeAll(async () => {
  web = await smallSite()
  me = newUser()
  theirs = await stoppedCrawl(web, newUser())
})

afterAll(() => web.close())

const commandsOn = (directory: string): readonly (readonly string[])[] => [
  ['resume', directory, '--trust'],
  ['query', directory, 'SELECT count(*) FROM pages'],
  ['status', directory],
  ['stop', directory, '--trust'],
  ['export', directory, '--to', 'jsonl', '--out', temporary('pages.jsonl')],
]

/** A folder of the user with files in it that only the user may change. */
function outside(...names: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'outside-'))
  for (const name of names) writeFileSync(join(folder, name), PRECIOUS)
  return folder
}

function expectUntouched(folder: string, ...names: readonly string[]): void {
  expect(readdirSync(folder).sort()).toEqual([...names].sort())
  for (const name of names) expect(readFileSync(join(folder, name), 'utf8')).toBe(PRECIOUS)
}

describe('a symbolic link', () => {
  const FILES = ['crawl.log', 'crawl.json.tmp', 'report.json', 'report.json.tmp', 'lock', 'ledger.db']
  const INNER = ['tables/manifest.json', 'tables/manifest.json.tmp', 'archive/a.test-1-00009.warc.gz']

  it.each([...FILES, ...INNER])(
    'in place of %s is refused by every command, and not followed',
    async name => {
      const folder = outside('victim')
      const directory = copyOf(theirs)
      rmSync(join(directory, name), { force: true })
      symlinkSync(join(folder, 'victim'), join(directory, name))
      for (const command of commandsOn(directory)) {
        const { code, stderr } = await orbweaver(command, me)
        expect([code, stderr]).toEqual([EXIT.untrusted, expect.stringMatching(/is a symbolic link/)])
        expect(stderr).not.toContain('if you trust it')
      }
      expectUntouched(folder, 'victim')
    },
  )

  it.each(['archive', 'tables', 'tables/pages', 'tables/links', 'learned', 'frontier'])(
    'in place of the folder %s is refused by every command, and not followed',
    async name => {
      const victims = ['stray.parquet', '1-00001.rows.open', 'nets-x.gz', 'a.test-1-00001.warc.gz.open']
      const folder = outside(...victims)
      const directory = copyOf(theirs)
      rmSync(join(directory, name), { recursive: true, force: true })
      symlinkSync(folder, join(directory, name))
      for (const command of commandsOn(directory))
        expect((await orbweaver(command, me)).code).toBe(EXIT.untrusted)
      expectUntouched(folder, ...victims)
    },
  )

  it('in place of crawl.json is refused', async () => {
    const directory = copyOf(theirs)
    const real = join(outside(), 'crawl.json')
    renameSync(join(directory, 'crawl.json'), real)
    symlinkSync(real, join(directory, 'crawl.json'))
    expect((await orbweaver(['resume', directory, '--trust'], me)).code).toBe(EXIT.untrusted)
  })

  it('to a folder may be what the user names with --out', async () => {
    const folder = outside()
    const link = temporary('link')
    symlinkSync(folder, link)
    const crawl = ['crawl', 'http://a.test/', ...web.flags, '--max-pages', '3', '--out', link]
    expect((await orbweaver(crawl, me)).code).toBe(EXIT.limit)
    expect(existsSync(join(folder, 'crawl.json'))).toBe(true)
    expect((await orbweaver(['resume', link], me)).code).toBe(EXIT.limit)
  })
})

it('a pipe in place of a file keeps nobody waiting', async () => {
  const directory = copyOf(theirs)
  rmSync(join(directory, 'crawl.json'))
  execFileSync('mkfifo', [join(directory, 'crawl.json')])
  for (const command of commandsOn(directory)) {
    const { code, stderr } = await orbweaver(command, me)
    expect([code, stderr]).toEqual([EXIT.untrusted, expect.stringMatching(/is a special file/)])
  }
})

/** Whoever forges a file gives it a checksum too. */
function reseal(path: string, role: string, text: string): void {
  const { checksum: _, ...content } = JSON.parse(text) as Record<string, unknown>
  writeSealed(path, role, content)
}

describe('a file name that leads out', () => {
  const VICTIMS = ['1-00001.rows', '1-00001.rows.open', 'x.parquet'] as const
  const namesOf = (folder: string, directory: string): readonly string[] => [
    `tables/${relative(join(directory, 'tables'), folder)}`,
    folder,
  ]

  it.each([0, 1])('of the ledger ends a resume before anything is cut or removed (%i)', async form => {
    const folder = outside(...VICTIMS)
    const directory = copyOf(theirs)
    const place = namesOf(folder, directory)[form]
    const db = new Database(join(directory, 'ledger.db'))
    const insert = db.prepare('INSERT INTO file (name, incarnation, kind, bytes) VALUES (?, 1, ?, ?)')
    insert.run(`${place}/1-00001.rows`, 'pages-log', 5)
    insert.run(`${place}/x.parquet`, 'pages', PRECIOUS.length)
    db.close()
    rmSync(join(directory, 'ledger.db.sums'), { force: true })
    const { code, stderr } = await orbweaver(['resume', directory, '--trust'], me)
    expect([code, stderr]).toEqual([EXIT.damaged, expect.stringMatching(/lists a file outside of the crawl/)])
    await orbweaver(['query', directory, 'SELECT count(*) FROM pages'], me)
    expectUntouched(folder, ...VICTIMS)
  })

  it.each([0, 1])('of the manifest is not read (%i)', async form => {
    const folder = outside()
    const directory = copyOf(theirs)
    const [table] = readdirSync(join(directory, 'tables/pages')).filter(name => name.endsWith('.parquet'))
    renameSync(join(directory, 'tables/pages', table), join(folder, 'x.parquet'))
    const place = namesOf(folder, directory)[form]
    for (const part of ['', '-wal', '-shm', '.sums'])
      rmSync(join(directory, `ledger.db${part}`), { force: true })
    const path = join(directory, 'tables/manifest.json')
    const manifest = readFileSync(path, 'utf8').replace(`tables/pages/${table}`, `${place}/x.parquet`)
    expect(manifest).toContain('x.parquet')
    reseal(path, 'tables/manifest.json', manifest)
    const { code, stderr } = await orbweaver(['query', directory, 'SELECT count(*) FROM pages'], me)
    expect([code, stderr]).toEqual([EXIT.untrusted, expect.stringMatching(/names a file outside of itself/)])
  })

  it('of what a previous crawl learned is not read', async () => {
    const folder = outside('nets.gz')
    const directory = copyOf(theirs)
    const path = join(directory, 'learned/manifest.json')
    mkdirSync(join(directory, 'learned'), { recursive: true })
    const manifest = JSON.parse(readFileSync(path, 'utf8'))
    manifest.files.push({
      name: relative(join(directory, 'learned'), join(folder, 'nets.gz')),
      holds: 'nets',
      bytes: PRECIOUS.length,
      crc32: 0,
    })
    reseal(path, 'learned/manifest.json', JSON.stringify(manifest))
    const out = temporary('next')
    const flags = ['--assign', 'hypergraph', '--agents', '2', '--previous', directory, '--out', out]
    const { stderr } = await orbweaver(['crawl', 'http://a.test/', ...web.flags, ...flags], me)
    expect(stderr + readFileSync(join(out, 'crawl.log'), 'utf8')).toMatch(/names a file outside of/)
    expectUntouched(folder, 'nets.gz')
  })
})
