/**
 * What an agent without the store reads from the coordinator, over the channel of its packs: the journals
 * from which it rebuilds cells, and the routing table. If the coordinator is away, journals come from the
 * ledger.
 */
import type { Ledger } from '../../ledger/index.js'
import type { Channel } from './channel.js'
import { digestOf } from './pack-frame.js'
import { journalPath, ROUTING_PATH } from './protocol.js'

const HEAD_BYTES = 12

type Journals = Awaited<ReturnType<Ledger['readJournal']>>

/** Wraps `ledger` so that journals are read over the channel. */
export function journalsOver(ledger: Ledger, channel: Channel): Ledger {
  const readJournal: Ledger['readJournal'] = async (cell, from, maxBytes) => {
    try {
      const { status, body, digest } = await channel.ask({
        method: 'GET',
        path: journalPath(cell, from, maxBytes),
      })
      if (status === 200 && digest === digestOf([body])) return journalsIn(body)
    } catch {
      // There is no coordinator, or the connection broke.
    }
    return ledger.readJournal(cell, from, maxBytes)
  }
  return { ...ledger, readJournal }
}

/** A sequence of: number (8 bytes), length (4 bytes), journal. */
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

/**
 * The routing table in force (S3). Null if there is none, or it arrived damaged; throws without an answer.
 */
export async function routingOver(channel: Channel): Promise<Buffer | null> {
  const { status, body, digest } = await channel.ask({ method: 'GET', path: ROUTING_PATH })
  return status === 200 && digest === digestOf([body]) ? body : null
}
