/**
 * The ledger of a crawl on SQLite, and a directory, restored from backups of different moments: what does not
 * belong together is refused with nothing changed, and `--restored` deletes nothing.
 *
 * @module-tag deep
 */
import { copyFileSync, cpSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock, systemRandom } from '../../src/compose/index.js'
import { openSqliteLedger } from '../../src/ledger/sqlite/index.js'
import { announceGeneration } from '../../src/runtime/directory/generation.js'
import { truth, WebPlan, WebServer } from '../../src/simulate/web/index.js'
import { checkWarcs, urlsWith } from '../kit/crawled.js'
import { GENERATED, orbweaver, start, temporary } from '../kit/orbweaver.js'
import { contentsOf } from '../kit/restored.js'

const plan = new WebPlan({ sites: 12, pages: 700, seed: 8 })

describe('a restored crawl on SQLite', () => {
  let web: WebServer
  let expected: string[]

  beforeAll(async () => {
    web = await WebServer.listen(plan, { clock: systemClock, port: 0 })
    expected = [...truth(plan, web.authority)].sort()
  })
  afterAll(() => web.close())

  async function runFor(requests: number, signal: NodeJS.Signals, args: readonly string[]): Promise<void> {
    const before = web.counts().requests
    const { process: crawling, said, ended } = start(args)
    while (web.counts().requests < before + requests) {
      expect(crawling.exitCode, said()).toBeNull()
      await sleep(20)
    }
    crawling.kill(signal)
    await ended
  }

  async function crawlPart(): Promise<string> {
    const out = temporary('crawl')
    await runFor(150, 'SIGTERM', ['crawl', web.seed, ...GENERATED, '--rate', '150', '--out', out])
    return out
  }

  async function expectEnd(out: string, ...more: string[]): Promise<string> {
    const { code, stdout, stderr } = await orbweaver(['resume', out, '--json', ...more])
    expect(code, stderr).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ pages: expected.length, overlap: 0, damaged: [] })
    expect((await urlsWith(out, 'OK')).sort()).toEqual(expected)
    const check = await checkWarcs(out)
    expect(check.problems).toEqual([])
    expect([...check.pages].sort()).toEqual(expected)
    return stderr
  }

  it('goes on where it is copied to as a whole, and so does the original', async () => {
    const out = await crawlPart()
    const copy = temporary('copy')
    cpSync(out, copy, { recursive: true, preserveTimestamps: true })
    await expectEnd(out)
    await expectEnd(copy)
  })

  it('with an older ledger is refused by every command, with nothing changed', async () => {
    const out = await crawlPart()
    const backup = temporary('ledger.db')
    copyFileSync(join(out, 'ledger.db'), backup)
    await expectEnd(out)
    copyFileSync(backup, join(out, 'ledger.db'))
    rmSync(join(out, 'ledger.db.sums'), { force: true })
    const before = contentsOf(out)
    const export_ = temporary('pages.jsonl')
    for (const args of [
      ['resume', out],
      ['status', out],
      ['set', out, 'rate=1'],
      ['stop', out],
      ['checkpoint', out],
      ['query', out, 'SELECT count(*) FROM pages'],
      ['export', out, '--to', 'jsonl', '--out', export_],
    ]) {
      const { code, stderr, stdout } = await orbweaver(args)
      expect(stderr, args[0]).toMatch(/^orbweaver: the ledger [^\n]+ is older than [^\n]+\n$/)
      expect(code, args[0]).toBe(9)
      expect(stdout, args[0]).toBe('')
    }
    const again = ['crawl', web.seed, ...GENERATED, '--previous', out, '--out', temporary('again')]
    expect((await orbweaver(again)).code).toBe(9)
    expect(contentsOf(out)).toEqual(before)
  })

  it('goes on from an older ledger with --restored: what that does not list is in quarantine/', async () => {
    const out = await crawlPart()
    const backup = temporary('ledger.db')
    // Slow enough that packs are sealed before it is killed.
    await orbweaver(['set', out, 'rate=40'])
    copyFileSync(join(out, 'ledger.db'), backup)
    await runFor(200, 'SIGKILL', ['resume', out])
    for (const part of ['-wal', '-shm']) rmSync(join(out, `ledger.db${part}`), { force: true })
    const later = contentsOf(join(out, 'archive'))
    copyFileSync(backup, join(out, 'ledger.db'))
    rmSync(join(out, 'ledger.db.sums'), { force: true })
    expect((await orbweaver(['resume', out])).code).toBe(9)
    const stderr = await expectEnd(out, '--restored')
    const [, folder] = /ledger does not list are in (quarantine\/\S+) now/.exec(stderr) ?? []
    expect(folder).toBeDefined()
    for (const [name, digest] of Object.entries(later))
      expect(isKept(out, folder, name, digest), name).toBe(true)
    expect(Object.keys(later).some(name => existsSync(join(out, folder, 'archive', name)))).toBe(true)
  })

  it('with committed bytes that are gone is damaged: code 8, and nothing changed', async () => {
    const out = await crawlPart()
    const [warc] = readdirSync(join(out, 'archive')).filter(name => name.includes('.warc'))
    rmSync(join(out, 'archive', warc))
    const before = contentsOf(out)
    const { code, stderr } = await orbweaver(['resume', out])
    expect(stderr).toMatch(
      /^orbweaver: [^\n]+ committed bytes of archive\/[^\n]+ are gone[^\n]+orbweaver repair[^\n]+\n$/,
    )
    expect(code).toBe(8)
    expect(contentsOf(out)).toEqual(before)
  })

  it('that was killed between the steps of a new generation goes on', async () => {
    const out = await crawlPart()
    const openHere = () => openSqliteLedger(join(out, 'ledger.db'), { create: false, now: systemClock.now })
    const generations = () =>
      JSON.parse(readFileSync(join(out, 'generations.json'), 'utf8')) as { next: unknown }
    for (const isInLedger of [false, true]) {
      const ledger = openHere()
      const { settings } = await announceGeneration(out, ledger, systemRandom)
      if (isInLedger) await ledger.set(settings)
      await ledger.close()
      expect(generations().next).not.toBeNull()
      expect((await orbweaver(['status', out])).code).toBe(0)
      await runFor(20, 'SIGTERM', ['resume', out])
      expect(generations().next).toBeNull()
    }
    await expectEnd(out)
  })
})

/** Whether a file of the archive is unchanged, or whole in quarantine. */
function isKept(out: string, folder: string, name: string, digest: string): boolean {
  const kept = contentsOf(join(out, folder))[`archive/${name}`]
  return kept === digest || contentsOf(join(out, 'archive'))[name] === digest
}
