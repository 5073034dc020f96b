/** Shared by the queues of all cells of an agent: one memory limit and one spill file. */

import { join } from 'node:path'
import { QUEUE_SPACE_SMALLEST_SPILL_BYTES } from '../../limits.js'
import { BLOCK_BYTES, BlockPool, PageFile, SpillOrder } from '../spill/index.js'

export class QueueSpace {
  readonly pool = new BlockPool()
  readonly order: SpillOrder
  readonly file: PageFile
  readonly #limitBytes: number

  constructor(folder: string, limitBytes: number) {
    this.file = new PageFile(join(folder, 'queue.pages'))
    this.order = new SpillOrder(Math.min(QUEUE_SPACE_SMALLEST_SPILL_BYTES, limitBytes / 8))
    this.#limitBytes = limitBytes
  }

  /** Makes room for `bytes` more by writing the longest queues to disk, as far as that helps. */
  reserve(bytes: number): void {
    const wanted = bytes + BLOCK_BYTES
    while (this.pool.usedBytes + wanted > this.#limitBytes) {
      const holder = this.order.largest()
      if (holder === undefined) return
      holder.spill()
    }
  }

  close(): void {
    this.file.close()
  }
}
