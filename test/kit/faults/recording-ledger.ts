/** Records what the ledger acknowledges outside of it, so that a test notices what the ledger forgets. */
import { openSync, writeSync } from 'node:fs'
import type { Ledger, Pack } from '../../../src/ledger/index.js'

/** One line of the file. */
export interface RecordedPack {
  readonly pack: string
  /** Of each of its cells, in base64: they name its pages. */
  readonly journals: readonly string[]
}

/** The line is written when the answer is there, and before anybody has it. */
export function recordingLedger(ledger: Ledger, path: string): Ledger {
  const file = openSync(path, 'a')
  const commit = async (pack: Pack) => {
    const answer = await ledger.commit(pack)
    if (answer.status === 'committed') {
      const journals = pack.cells.map(({ journal }) => Buffer.from(journal).toString('base64'))
      writeSync(file, `${JSON.stringify({ pack: pack.id, journals } satisfies RecordedPack)}\n`)
    }
    return answer
  }
  return new Proxy(ledger, {
    get: (target, name) => (name === 'commit' ? commit : target[name as keyof Ledger]),
  })
}
