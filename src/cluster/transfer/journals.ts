/**
 * A cell's derived state for an agent without the store: the journals that its seen-set and queue are made
 * of, over the channel that its packs take the other way. Whoever coordinates may be away: then the ledger
 * itself is asked.
 */
import type { Ledger } from '../../ledger/index.js'
import type { Channel } from './channel.js'
import { digestOf } from './pack-frame.js'
import { journalPath } from './protocol.js'

const HEAD_BYTES = 12

type Journals = Awaited<ReturnType<Ledger['readJournal']>>

/** The same ledger, with journals read over the channel. */
export function journalsOver(ledger: Ledger, channel: Channel): Ledger {
  const readJournal: Ledger['readJournal'] = async (cell, from, maxBytes) => {
    try {
      const { status, body, digest } = await channel.ask({
        method: 'GET',
        path: journalPath(cell, from, maxBytes),
      })
      if (status === 200 && digest === digestOf([body])) return journalsIn(body)
    } catch {
      // Nobody is there, or the connection was cut.
    }
    return ledger.readJournal(cell, from, maxBytes)
  }
  return { ...ledger, readJournal }
}

/** Number (8 bytes), length (4), journal; one behind the other. */
export function journalBytes(journals: Journals): Buffer {
  return Buffer.concat(
    journals.flatMap(({ number, journal }) => {
      const head = Buffer.alloc(HEAD_BYTES)
      head.writeDoubleLE(number)
      head.writeUInt32LE(journal.length, 8)
      return [head, journal]
    }),
  )
}

function journalsIn(bytes: Buffer): Journals {
  const journals: { number: number; journal: Uint8Array }[] = []
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.readUInt32LE(at + 8)
    journals.push({
      number: bytes.readDoubleLE(at),
      journal: bytes.subarray(at + HEAD_BYTES, at + HEAD_BYTES + length),
    })
    at += HEAD_BYTES + length
  }
  return journals
}
