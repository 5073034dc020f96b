/**
 * Two processes write to one ledger, make checkpoints and are killed: its sums stay right, and nothing is
 * lost.
 *
 * @module-tag deep
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, it } from 'vitest'
import { checkLedger, openLedgerToRead } from '../../src/ledger/sqlite/index.js'
import { readPageSums } from '../../src/ledger/sqlite/pages/index.js'
import { SeededRandom } from '../../src/model/index.js'
import { temporary } from '../kit/orbweaver.js'

const WRITER = fileURLToPath(new URL('../kit/ledger-writer.ts', import.meta.url))
const ROUNDS = 2
const WAIT_MS = 60_000

class Writer {
  readonly #process: ChildProcess
  readonly name: string
  commits = 0
  #said = ''

  constructor(path: string, name: string, seed: number) {
    this.name = name
    this.#process = spawn(process.execPath, ['--import', 'tsx', WRITER, path, name, String(seed)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    this.#process.stdout!.on('data', chunk => {
      const lines = (this.#said + chunk).split('\n')
      this.#said = lines.pop()!
      if (lines.length > 0) this.commits = Number(lines[lines.length - 1])
    })
  }

  async kill(): Promise<void> {
    const ended = once(this.#process, 'close')
    this.#process.kill('SIGKILL')
    await ended
  }
}

let writers: Writer[] = []
afterEach(async () => {
  await Promise.all(writers.map(writer => writer.kill()))
})

it('the sums of a ledger are right while two processes write to it, and after kill -9', async () => {
  const directory = temporary('written')
  mkdirSync(directory)
  const path = join(directory, 'ledger.db')
  const random = new SeededRandom(23)
  const logs = new Set<string>()
  for (let round = 0; round < ROUNDS; round++) {
    writers = ['a', 'b'].map((name, i) => new Writer(path, `${name}${round}`, round * 2 + i))
    const wanted = 40 + Math.floor(random.next() * 100)
    for (
      let waitedMs = 0;
      writers.some(({ commits }) => commits < wanted) && waitedMs < WAIT_MS;
      waitedMs += 50
    ) {
      expect(checkLedger(directory).at).not.toBe('damaged')
      const sums = readPageSums(path)
      if (typeof sums === 'object') logs.add(sums.salts)
      await new Promise(resolve => setTimeout(resolve, 50))
    }
    for (const writer of writers) await writer.kill()
    expect(checkLedger(directory), `round ${round}`).toMatchObject({ at: 'sound' })
    const ledger = openLedgerToRead(path, () => 0)
    const settings = await ledger.settings().finally(() => ledger.close())
    for (const { name, commits } of writers) {
      expect(commits).toBeGreaterThan(0)
      expect(Number(settings[name])).toBeGreaterThanOrEqual(commits)
    }
    writers = []
  }
  // Checkpoints have begun the log anew meanwhile.
  expect(logs.size).toBeGreaterThan(1)
}, 240_000)
