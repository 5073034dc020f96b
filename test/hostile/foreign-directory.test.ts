/** A crawl directory is input: one from elsewhere can be read, but runs no code and is sent no password. */
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EXIT } from '../../src/cli/exit/index.js'
import { UntrustedError } from '../../src/config/index.js'
import { resume } from '../../src/index.js'
import { FalsePostgres } from '../kit/false-postgres.js'
import {
  configure,
  copyOf,
  crawlJson,
  everyFile,
  markingGuest,
  newUser,
  smallSite,
  stoppedCrawl,
} from '../kit/foreign-directory.js'
import { type Ended, orbweaver, temporary } from '../kit/orbweaver.js'
import type { SmallWeb } from '../kit/small-web.js'

const PASSWORD = 's3cr3t-p4ssw0rd'
const COUNT = 'SELECT count(*) AS n FROM pages'

let web: SmallWeb
/** Made by a user that no test is. */
let theirs: string

beforeAll(async () => {
  web = await smallSite()
  theirs = await stoppedCrawl(web, newUser())
})

afterAll(() => web.close())

/** All that can be said of a directory. */
function commandsOn(
  directory: string,
): Readonly<Record<'reading' | 'acting', readonly (readonly string[])[]>> {
  return {
    reading: [
      ['status', directory],
      ['status', directory, '--json'],
      ['query', directory, COUNT],
      ['export', directory, '--to', 'jsonl', '--out', temporary('pages.jsonl')],
      ['export', directory, '--to', 'files', '--out', temporary('files')],
    ],
    acting: [
      ['resume', directory],
      ['set', directory, 'rate=1'],
      ['stop', directory],
      ['checkpoint', directory],
      ['agent', directory],
      ['ledger', 'copy', directory, 'postgres://x@127.0.0.1:1/x'],
    ],
  }
}

function expectRefused({ code, stderr, stdout }: Ended, command: readonly string[]): void {
  expect(code, stderr).toBe(EXIT.untrusted)
  expect(stderr.trim().split('\n')).toHaveLength(1)
  expect(stderr).toContain(`if you trust it: orbweaver ${command.join(' ')} --trust`)
  expect(stdout).toBe('')
}

describe('a directory from elsewhere', () => {
  it('is read without being written, by status, query and export', { tags: 'deep' }, async () => {
    const directory = copyOf(theirs)
    const before = everyFile(directory)
    const me = newUser()
    for (const command of commandsOn(directory).reading) {
      const { code, stderr } = await orbweaver(command, me)
      expect(code, `${command.join(' ')}: ${stderr}`).toBe(EXIT.done)
    }
    const { stdout } = await orbweaver(['query', directory, COUNT, '--format', 'csv'], me)
    expect(Number(stdout.split('\r\n')[1])).toBeGreaterThanOrEqual(3)
    expect((await orbweaver(['status', directory], me)).stdout).toMatch(/3 acknowledged/)
    expect(everyFile(directory)).toEqual(before)
  })

  it('runs no guest, whatever the command, and says which it would run', async () => {
    const { path, mark } = markingGuest()
    const directory = copyOf(theirs)
    configure(directory, { guest: path, trusted: true })
    const before = everyFile(directory)
    const me = newUser()
    const { reading, acting } = commandsOn(directory)
    for (const command of reading) await orbweaver(command, me)
    for (const command of acting) {
      const end = await orbweaver(command, me)
      expectRefused(end, command)
      expect(end.stderr).toMatch(/this would run the guest .*guest\.mjs \(sha256 [\da-f]{64}\)/)
    }
    expect(existsSync(mark)).toBe(false)
    expect(everyFile(directory)).toEqual(before)
    const trusted = await orbweaver(['resume', directory, '--trust'], me)
    expect(existsSync(mark)).toBe(true)
    expect(trusted.stderr).toMatch(/orbweaver: runs the guest .*guest\.mjs \(sha256 [\da-f]{64}\)/)
    expect(readFileSync(join(directory, 'crawl.log'), 'utf8')).toMatch(/runs the guest .*sha256 [\da-f]{64}/)
  })

  it('is never told the password of a ledger, nor asked for one', { tags: 'deep' }, async () => {
    const thief = await FalsePostgres.listen()
    const directory = copyOf(theirs)
    const ledger = `postgres://orbweaver@127.0.0.1:${thief.port}/crawls`
    configure(directory, { ledger, name: 'a' })
    const me = { ...newUser(), PGPASSWORD: PASSWORD }
    const { reading, acting } = commandsOn(directory)
    for (const command of reading) {
      const { code, stderr } = await orbweaver(command, me)
      expect(code, stderr).toBe(EXIT.done)
      if (command[0] === 'status')
        expect(stderr).toMatch(/its ledger .* was not contacted.* --trust.*--ledger/)
    }
    const again = ['crawl', 'http://a.test/', '--previous', directory, '--out', temporary('next')]
    for (const command of [...acting, again]) expectRefused(await orbweaver(command, me), command)
    expect(thief.connections).toBe(0)
    // The thief is at work: who trusts the directory meets it.
    await orbweaver(['status', directory, '--trust'], me)
    expect(thief.heard).toContain(PASSWORD)
    await thief.close()
  })

  it('can be what a recrawl begins from, without being written', { tags: 'deep' }, async () => {
    const directory = copyOf(theirs)
    const before = everyFile(directory)
    const out = temporary('next')
    const end = await orbweaver(
      ['crawl', 'http://a.test/', ...web.flags, '--previous', directory, '--out', out],
      newUser(),
    )
    expect(end.code, end.stderr).toBe(EXIT.done)
    expect(readFileSync(join(out, 'crawl.log'), 'utf8')).toMatch(/"previous crawl".*"urls":9/)
    expect(everyFile(directory)).toEqual(before)
  })

  it('cannot name a file to read as the truth', async () => {
    const directory = copyOf(theirs)
    configure(directory, { truth: join(directory, 'nowhere') })
    const { code, stderr } = await orbweaver(['status', directory, '--metrics'], newUser())
    expect([code, stderr]).toEqual([EXIT.done, ''])
  })

  it('cannot name a file to read as its blacklist', async () => {
    const directory = copyOf(theirs)
    configure(directory, { blacklist: `x.test,@${join(directory, 'crawl.json')}` })
    const { code, stderr } = await orbweaver(['status', directory], newUser())
    expect([code, stderr]).toEqual([EXIT.config, expect.stringMatching(/names a file as its blacklist/)])
  })
})

describe('trust', { tags: 'deep' }, () => {
  it('is given once and remembered outside of the directory', async () => {
    const directory = copyOf(theirs)
    const me = newUser()
    const command = ['resume', directory]
    const foreign = await orbweaver(command, me)
    expectRefused(foreign, command)
    expect(foreign.stderr).toMatch(/was not made by you on this machine/)
    expect((await orbweaver([...command, '--trust'], me)).code).toBe(EXIT.limit)
    expect((await orbweaver(command, me)).code).toBe(EXIT.limit)
    expectRefused(await orbweaver(command, newUser()), command)
  })

  it('ends when the guest or a setting change, and says which', async () => {
    const { path, mark } = markingGuest()
    const directory = copyOf(theirs)
    configure(directory, { guest: path, trusted: true })
    const me = newUser()
    const command = ['resume', directory]
    expect((await orbweaver([...command, '--trust'], me)).code).toBe(EXIT.limit)
    rmSync(mark)
    writeFileSync(path, `${readFileSync(path, 'utf8')}// changed\n`)
    const changed = await orbweaver(command, me)
    expectRefused(changed, command)
    expect(changed.stderr).toMatch(/\(changed: guest\)/)
    configure(directory, { guest: undefined, trusted: undefined, allowPrivate: true })
    expect((await orbweaver(command, me)).stderr).toMatch(/\(changed: allowPrivate, guest, trusted\)/)
    expect(existsSync(mark)).toBe(false)
  })

  it('does not come with the id of a directory of one’s own', async () => {
    const me = newUser()
    const mine = await stoppedCrawl(web, me)
    const { path, mark } = markingGuest()
    const directory = copyOf(theirs)
    const file = { ...crawlJson(directory), id: crawlJson(mine).id }
    writeFileSync(join(directory, 'crawl.json'), JSON.stringify(file))
    configure(directory, { guest: path, trusted: true })
    const command = ['resume', directory]
    expectRefused(await orbweaver(command, me), command)
    expect(existsSync(mark)).toBe(false)
    expect((await orbweaver(['resume', mine], me)).code).toBe(EXIT.limit)
  })

  it('stays with a directory of one’s own that is moved, or named by a link', async () => {
    const me = newUser()
    const moved = temporary('moved')
    renameSync(await stoppedCrawl(web, me), moved)
    const link = temporary('link')
    symlinkSync(moved, link)
    expect((await orbweaver(['resume', moved], me)).code).toBe(EXIT.limit)
    expect((await orbweaver(['resume', link], me)).code).toBe(EXIT.limit)
  })

  it('is asked for again where the state folder cannot be written, and the crawl goes on without it', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'no-state-')), 'file')
    writeFileSync(file, '')
    const me = { ORBWEAVER_STATE: join(file, 'state') }
    const directory = await stoppedCrawl(web, me)
    expect(readFileSync(join(directory, 'crawl.log'), 'utf8')).toMatch(
      /cannot be written: resume will ask for --trust/,
    )
    const command = ['resume', directory]
    expectRefused(await orbweaver(command, me), command)
    expect((await orbweaver([...command, '--trust'], me)).code).toBe(EXIT.limit)
  })

  it('is a choice of the library’s caller too', async () => {
    const directory = copyOf(theirs)
    expect(() => resume(directory)).toThrow(UntrustedError)
    expect((await resume(directory, { trust: true }).report).finishReason).toBe('limit')
    expect((await resume(directory).report).finishReason).toBe('limit')
  })
})

describe('the password of a ledger on another machine', { tags: 'deep' }, () => {
  /** To the thief too, but not an address of this machine's own loopback network. */
  const elsewhere = (thief: FalsePostgres) => `postgres://orbweaver@0.0.0.0:${thief.port}/crawls`
  const attempt = (thief: FalsePostgres, env: Record<string, string>) =>
    orbweaver(['status', '--ledger', elsewhere(thief), '--name', 'a'], { PGPASSWORD: PASSWORD, ...env })

  it('is not sent without TLS, nor is anything else', async () => {
    const thief = await FalsePostgres.listen()
    for (const mode of ['', 'prefer', 'allow', 'require']) {
      const { code, stderr } = await attempt(thief, { PGSSLMODE: mode })
      expect([code, stderr]).toEqual([
        EXIT.ledger,
        expect.stringMatching(/does not support TLS.*PGSSLMODE=disable/),
      ])
    }
    expect(thief.connections).toBe(4)
    expect(thief.heard).not.toMatch(/orbweaver|crawls|s3cr3t/)
    await thief.close()
  })

  it('is not sent in the clear where the user has switched TLS off', async () => {
    const thief = await FalsePostgres.listen()
    const { code, stderr } = await attempt(thief, { PGSSLMODE: 'disable' })
    expect([code, stderr]).toEqual([EXIT.ledger, expect.stringMatching(/asks for the password without TLS/)])
    expect(thief.heard).toContain('orbweaver')
    expect(thief.heard).not.toContain(PASSWORD)
    await thief.close()
  })
})
