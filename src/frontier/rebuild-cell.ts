/** A cell's frontier from its journal: seen = all discoveries, queue = discoveries - outcomes, in their order. */
import type { Millis } from '../model/clock.js'
import { fingerprint, takeFingerprint } from '../model/fingerprint.js'
import type { CellFrontier } from './cell-frontier.js'
import type { FrontierSpace } from './frontier-space.js'
import { type JournalReader, readJournal } from './journal-codec.js'
import { SeenSet } from './seen-set.js'

/** How a URL goes on that is still queued. */
export interface Restored {
  readonly attempt: number
  readonly notBefore: Millis
  /** It was fetched before its depth fell: only its links are wanted. */
  readonly again: boolean
}

const FIRST: Restored = { attempt: 1, notBefore: 0, again: false }

/**
 * Reads the journal twice: outcomes first, so that the second pass can tell what is still queued. Both sets spill to
 * disk, so a cell of any size is rebuilt in bounded memory. Decisions are replayed, never made again.
 */
export async function rebuildCell(
  blobs: () => AsyncIterable<Uint8Array>,
  frontier: CellFrontier,
  space: FrontierSpace,
): Promise<void> {
  const settled = new SeenSet(space.seen)
  const special = new Map<string, Restored>()
  const fetched = new SeenSet(space.seen)
  const first: JournalReader = {
    settled: (low, high, code) => {
      settled.add(low, high)
      if (code !== 'TOO_DEEP') fetched.add(low, high)
      if (special.size > 0) special.delete(`${low}:${high}`)
    },
    retried: (low, high, attempt, notBefore) =>
      void special.set(`${low}:${high}`, { attempt, notBefore, again: false }),
  }
  // A discovery after the outcome opens the URL again; that happens with --max-depth only.
  if (frontier.tracksDepth) {
    first.discovered = ({ url }) => {
      takeFingerprint(url)
      const { low, high } = fingerprint
      if (settled.has(low, high)) special.set(`${low}:${high}`, { ...FIRST, again: fetched.has(low, high) })
    }
  }
  for await (const blob of blobs()) readJournal(blob, first)
  for await (const blob of blobs()) {
    readJournal(blob, {
      discovered: discovery => {
        takeFingerprint(discovery.url)
        const { low, high } = fingerprint
        const how = special.size > 0 ? special.get(`${low}:${high}`) : undefined
        frontier.restore(discovery, how ?? (settled.has(low, high) ? null : FIRST))
      },
    })
  }
  settled.close()
  fetched.close()
}
