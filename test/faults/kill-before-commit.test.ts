/** @module-tag deep */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'libsql'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../src/compose/index.js'
import { truth, WebPlan, WebServer } from '../../src/simulate/web/index.js'
import { checkWarcs, urlsWith } from '../kit/crawled.js'
import { GENERATED, orbweaver, type RunningCommand, start, temporary } from '../kit/orbweaver.js'

const SEED = 29
/**
 * Packs that a run has committed when it is killed: of one without, the whole file is void; of the others,
 * its end.
 */
const PACKS = [0, 1, 2]

/** Looks again and again until it is so; an end of the command is a failure. */
async function until(isSo: () => boolean, command: RunningCommand): Promise<void> {
  while (!isSo()) {
    await new Promise(resolve => setTimeout(resolve, 5))
    if (command.process.exitCode !== null) throw new Error(`it ended too early: ${command.said()}`)
  }
}

/** What the ledger has committed, read from outside. */
class Committed {
  readonly #out: string
  readonly #ledger: Database.Database

  constructor(out: string) {
    this.#out = out
    this.#ledger = new Database(join(out, 'ledger.db'), { timeout: 5_000 })
  }

  static exists(out: string): boolean {
    return existsSync(join(out, 'crawl.json')) && existsSync(join(out, 'ledger.db'))
  }

  /** Nobody else commits anything from here to `unlock`. */
  lock(): void {
    this.#ledger.exec('BEGIN IMMEDIATE')
  }

  unlock(): void {
    this.#ledger.exec('ROLLBACK')
    this.#ledger.close()
  }

  packs(): number {
    try {
      return this.#rows<[number]>('SELECT count(*) FROM pack')[0][0]
    } catch {
      // Its tables are being made.
      return -1
    }
  }

  /** Bytes of the archive that no committed pack knows of. */
  strayBytes(): number {
    const known = new Map(this.#rows<[string, number]>('SELECT name, bytes FROM file'))
    const folder = join(this.#out, 'archive')
    const excess = (name: string) =>
      statSync(join(folder, name)).size - (known.get(`archive/${name.replace(/\.open$/, '')}`) ?? 0)
    return readdirSync(folder)
      .filter(name => name.includes('.warc'))
      .reduce((sum, name) => sum + excess(name), 0)
  }

  #rows<T>(sql: string): T[] {
    return this.#ledger.prepare(sql).raw().all() as T[]
  }
}

describe('kill -9 between store and ledger', () => {
  it('loses nothing and keeps nothing twice: what the ledger does not know is cut off and fetched again', async () => {
    const plan = new WebPlan({ sites: 6, pages: 1_500, seed: SEED })
    const knobs = { clock: systemClock, port: 0, latencyMs: 20 }
    const server = await WebServer.listen(plan, knobs)
    const expected = [...truth(plan, server.authority)].sort()
    const out = temporary('crawl')
    let crawl = start(['crawl', server.seed, ...GENERATED, '--out', out])
    let refetched = 0
    let before = 0
    for (const packs of PACKS) {
      await until(() => Committed.exists(out), crawl)
      const committed = new Committed(out)
      await until(() => committed.packs() >= before + packs, crawl)
      const { requests } = server.counts()
      await until(() => server.counts().requests > requests + 10, crawl)
      // The instant: the pack's bytes are on disk, and its commit waits for us.
      committed.lock()
      const known = committed.packs()
      await until(() => committed.strayBytes() > 0, crawl)
      expect(committed.packs()).toBe(known)
      crawl.process.kill('SIGKILL')
      expect((await crawl.ended).signal, crawl.said()).toBe('SIGKILL')
      expect(committed.strayBytes()).toBeGreaterThan(0)
      before = known
      committed.unlock()
      crawl = start(['resume', out])
      await until(() => server.counts().repeats > refetched, crawl)
      refetched = server.counts().repeats
    }
    // All kills are over: the crawl need not last any longer.
    knobs.latencyMs = 0
    const end = await crawl.ended
    expect(end.code, end.stderr).toBe(0)
    await server.close()
    expect((await urlsWith(out, 'OK')).sort()).toEqual(expected)
    const check = await checkWarcs(out)
    expect(check.problems).toEqual([])
    expect([...check.pages].sort()).toEqual(expected)
    const said = await orbweaver(['status', out, '--json'])
    expect(JSON.parse(said.stdout)).toMatchObject({
      pages: expected.length,
      backlog: 0,
      finishReason: 'done',
    })
  }, 300_000)
})
