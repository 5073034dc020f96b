/** The pack store of one simulated incarnation: one log on the shared disk, flushed in virtual time. */

import type { AppendResult, CloseResult, PackBytes, PackStore } from '../../data/store/index.js'
import type { Incarnation } from '../../ledger/index.js'
import type { Millis } from '../../model/index.js'
import { LATE_MS, VIRTUAL_STORE_FLUSH_MS } from '../limits.js'
import type { Machine } from '../machines/index.js'
import { type Disk, type DiskFile, type StoredRow, storedRows } from './disk.js'

const HEADER_BYTES = 44

/** The state of a machine's disk. */
export interface DiskHealth {
  slownessMs: Millis
  isFull: boolean
}

export interface VirtualStoreParts {
  readonly disk: Disk
  readonly machine: Machine
  readonly incarnation: Incarnation
  readonly health: DiskHealth
  /** Called when a pack is stored and not yet committed. */
  readonly onStored: (id: string, rows: readonly StoredRow[]) => void
  /** Mutant: reports a pack as stored before it is, so that the ledger is written first. */
  readonly ledgerFirst?: boolean
}

export class VirtualStore implements PackStore {
  readonly #parts: VirtualStoreParts
  #file: DiskFile | null = null
  #bytes = 0
  #before = 0
  #isOpen = true

  constructor(parts: VirtualStoreParts) {
    this.#parts = parts
  }

  async append(pack: PackBytes): Promise<AppendResult> {
    const { health, ledgerFirst, onStored } = this.#parts
    const rows = storedRows(pack.pages.bytes)
    // With the header of a segment, which a pack without rows has too.
    const bytes = pack.pages.bytes.length + HEADER_BYTES
    await this.#pass(1)
    if (health.isFull) {
      await this.#pass(health.slownessMs)
      return { ok: false, code: 'DISK_FULL', detail: 'no space left on device' }
    }
    const file = this.#open()
    this.#before = this.#bytes
    const extent = this.#parts.disk.append(file, this.#bytes, this.#bytes + bytes, rows)
    this.#bytes += bytes
    const flushing = this.#pass(
      VIRTUAL_STORE_FLUSH_MS + health.slownessMs + (ledgerFirst ? LATE_MS : 0),
    ).then(() => {
      extent.isFlushed = true
    })
    if (!ledgerFirst) await flushing
    onStored(pack.id, rows)
    return { ok: true, files: [{ name: file.name, kind: 'pages-log', bytes: this.#bytes, crc32: 0 }] }
  }

  async undo(): Promise<void> {
    await this.#pass(1)
    const file = this.#file
    if (file) file.extents = file.extents.filter(extent => extent.end <= this.#before)
    this.#bytes = this.#before
  }

  async close(): Promise<CloseResult> {
    this.#isOpen = false
    return { files: [], problems: [] }
  }

  async abandon(): Promise<void> {
    this.#isOpen = false
  }

  #open(): DiskFile {
    if (!this.#isOpen) throw new Error('a pack came to a store that is closed')
    const { disk, incarnation } = this.#parts
    this.#file ??= disk.create(`pages-${incarnation}.log`, incarnation)
    return this.#file
  }

  #pass(ms: Millis): Promise<void> {
    return new Promise(resolve => this.#parts.machine.later(ms, resolve))
  }
}
