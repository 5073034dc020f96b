/**
 * `verify` and `repair` of a directory from elsewhere: the one changes nothing, the other does nothing
 * without trust, and neither asks a database that the directory names.
 *
 * @module-tag deep
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'libsql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EXIT } from '../../src/cli/exit/index.js'
import { writeSealed } from '../../src/files/index.js'
import { filesIn, flip } from '../kit/damage.js'
import { FalsePostgres } from '../kit/false-postgres.js'
import { copyOf, crawlJson, newUser, smallSite, stoppedCrawl } from '../kit/foreign-directory.js'
import { type Ended, orbweaver, start, temporary } from '../kit/orbweaver.js'
import type { SmallWeb } from '../kit/small-web.js'

const PASSWORD = 's3cr3t-p4ssw0rd'

let web: SmallWeb
/** Made by a user that no test is. */
let theirs: string
/** The same, of a crawl that was killed: its last commits are in the log beside its ledger. */
let killed: string

beforeAll(async () => {
  web = await smallSite()
  theirs = await stoppedCrawl(web, newUser())
  killed = await killedCrawl()
})

afterAll(() => web.close())

async function killedCrawl(): Promise<string> {
  const out = temporary('killed')
  const user = newUser()
  const crawl = start(['crawl', 'http://a.test/', ...web.flags, '--delay', '20000', '--out', out], user)
  const count = ['query', out, 'SELECT count(*) AS n FROM pages', '--format', 'csv']
  while (Number((await orbweaver(count, user)).stdout.split('\r\n')[1] ?? 0) < 1)
    expect(crawl.process.exitCode, crawl.said()).toBeNull()
  crawl.process.kill('SIGKILL')
  await crawl.ended
  expect(statSync(join(out, 'ledger.db-wal')).size).toBeGreaterThan(0)
  return out
}

/** Every file below a directory, byte for byte. */
function contentOf(directory: string): Record<string, string> {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter(entry =>
    entry.isFile(),
  )
  return Object.fromEntries(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name)
      return [path, createHash('sha256').update(readFileSync(path)).digest('hex')]
    }),
  )
}

/** As `crawl` writes it, and as whoever forges a directory does. */
function configureSealed(directory: string, settings: Record<string, unknown>): void {
  const { checksum: _, ...file } = crawlJson(directory) as { checksum?: string } & ReturnType<
    typeof crawlJson
  >
  writeSealed(join(directory, 'crawl.json'), 'crawl.json', {
    ...file,
    config: { ...file.config, ...settings },
  })
}

/** What the ledger has recorded of crawl.json, from which `repair` restores it. */
function configureRecord(directory: string, settings: Record<string, unknown>): void {
  const file = crawlJson(directory)
  const ledger = new Database(join(directory, 'ledger.db'))
  ledger
    .prepare("UPDATE setting SET value = ? WHERE name = 'crawl.file'")
    .run(JSON.stringify({ ...file, config: { ...file.config, ...settings } }))
  ledger.close()
  rmSync(join(directory, 'ledger.db.sums'), { force: true })
}

function expectRefused({ code, stderr, stdout }: Ended, command: readonly string[]): void {
  expect(code, stderr).toBe(EXIT.untrusted)
  expect(stderr.trim().split('\n')).toHaveLength(1)
  expect(stderr).toContain(`if you trust it: orbweaver ${command.join(' ')} --trust`)
  expect(stdout).toBe('')
}

describe('verify of a directory from elsewhere', () => {
  it.each([
    ['that was stopped', () => theirs],
    ['that was killed', () => killed],
    ['whose crawl.json is damaged', () => withDamagedCrawlFile(killed)],
  ])('%s changes no byte of it and leaves nothing there', async (_, source) => {
    const directory = copyOf(source())
    const before = contentOf(directory)
    for (const flags of [[], ['--quick'], ['--json']]) {
      const { code, stderr } = await orbweaver(['verify', directory, ...flags], newUser())
      expect([EXIT.done, EXIT.damaged], stderr).toContain(code)
    }
    expect(contentOf(directory)).toEqual(before)
  })

  it('never asks the database that its crawl.json names, and the command it shows instead does', async () => {
    const thief = await FalsePostgres.listen()
    const directory = copyOf(theirs)
    configureSealed(directory, { ledger: `postgres://orbweaver@127.0.0.1:${thief.port}/x`, name: 'a' })
    const before = contentOf(directory)
    const me = { ...newUser(), PGPASSWORD: PASSWORD }
    const command = ['verify', directory]
    expectRefused(await orbweaver(command, me), command)
    expect(thief.connections).toBe(0)
    expect(contentOf(directory)).toEqual(before)
    await orbweaver([...command, '--trust'], me)
    expect(thief.heard).toContain(PASSWORD)
    await thief.close()
  })
})

function withDamagedCrawlFile(source: string): string {
  const directory = copyOf(source)
  const path = join(directory, 'crawl.json')
  writeFileSync(path, readFileSync(path, 'utf8').replace('"createdAt"', '"createdat"'))
  return directory
}

describe('repair of a directory from elsewhere', () => {
  it('needs trust, once, and touches nothing before', async () => {
    const directory = copyOf(theirs)
    flip(directory, filesIn(directory, 'tables/pages', /\.parquet$/)[0], 0.5)
    const before = contentOf(directory)
    const me = newUser()
    for (const command of [
      ['repair', directory],
      ['repair', directory, '--dry-run'],
    ])
      expectRefused(await orbweaver(command, me), command)
    expect(contentOf(directory)).toEqual(before)
    expect((await orbweaver(['repair', directory, '--trust'], me)).code).toBe(EXIT.done)
    expect((await orbweaver(['repair', directory], me)).code).toBe(EXIT.done)
    expect((await orbweaver(['resume', directory], me)).code).toBe(EXIT.limit)
  })

  it.each([
    ['damaged', withDamagedCrawlFile],
    ['gone', withoutCrawlFile],
  ])(
    'whose crawl.json is %s needs it too: the copy in the ledger vouches for nothing',
    async (_, spoiled) => {
      const directory = spoiled(theirs)
      const before = contentOf(directory)
      const me = newUser()
      const command = ['repair', directory]
      expectRefused(await orbweaver(command, me), command)
      expect(contentOf(directory)).toEqual(before)
      expect((await orbweaver([...command, '--trust'], me)).code).toBe(EXIT.done)
      expect((await orbweaver(['resume', directory], me)).code).toBe(EXIT.limit)
      const resume = ['resume', directory]
      expectRefused(await orbweaver(resume, newUser()), resume)
    },
  )

  it('asks no database that the copy of crawl.json in the ledger names', async () => {
    const thief = await FalsePostgres.listen()
    const directory = copyOf(theirs)
    configureRecord(directory, { ledger: `postgres://orbweaver@127.0.0.1:${thief.port}/x`, name: 'a' })
    writeFileSync(join(directory, 'crawl.json'), '{}')
    flip(directory, filesIn(directory, 'tables/pages', /\.parquet$/)[0], 0.5)
    const me = { ...newUser(), PGPASSWORD: PASSWORD }
    const command = ['repair', directory]
    const end = await orbweaver(command, me)
    expect([thief.connections, thief.heard]).toEqual([0, ''])
    expectRefused(end, command)
    expect(end.stderr).toContain(`this would connect to postgres://orbweaver@127.0.0.1:${thief.port}/x`)
    await thief.close()
  })
})

function withoutCrawlFile(source: string): string {
  const directory = copyOf(source)
  rmSync(join(directory, 'crawl.json'))
  return directory
}

describe('repair of a crawl.json of one’s own', () => {
  it('needs no trust where the ledger has it as it was', async () => {
    const me = newUser()
    const directory = await stoppedCrawl(web, me)
    const before = readFileSync(join(directory, 'crawl.json'), 'utf8')
    rmSync(join(directory, 'crawl.json'))
    expect((await orbweaver(['repair', directory], me)).code).toBe(EXIT.done)
    expect(readFileSync(join(directory, 'crawl.json'), 'utf8')).toBe(before)
    expect((await orbweaver(['resume', directory], me)).code).toBe(EXIT.limit)
  })

  it('is refused where the ledger names another guest, which stays untrusted', async () => {
    const me = newUser()
    const directory = await stoppedCrawl(web, me)
    configureRecord(directory, { guest: '/nowhere/guest.mjs' })
    rmSync(join(directory, 'crawl.json'))
    const command = ['repair', directory]
    const end = await orbweaver(command, me)
    expectRefused(end, command)
    expect(end.stderr).toMatch(/\(changed: guest\); this would run the guest \/nowhere\/guest\.mjs/)
  })
})
