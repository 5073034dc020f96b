/** Receives the packs of one incarnation: collects the bytes, checks them, and stores each pack once. */
import type { IncomingMessage } from 'node:http'
import type { PackStore } from '../../data/store/index.js'
import { type Cancel, type Clock, LIMITS, type Millis } from '../../model/index.js'
import { digestOf, packIn } from './pack-frame.js'
import type { UploadAnswer, UploadNumber } from './protocol.js'

/** The received part of one pack. */
interface Upload {
  readonly number: UploadNumber
  readonly digest: string
  readonly bytes: Buffer
  received: number
  /** The connection that sends the rest; it may be broken without this process having noticed. */
  source: IncomingMessage | null
  /** When the last bytes came. */
  receivedAt: Millis
  unwatch: Cancel
}

export interface UploadHead {
  readonly number: UploadNumber
  readonly offset: number
  readonly total: number
  readonly digest: string
  readonly committed: UploadNumber
}

/** Limits the memory of all receivers together. */
export interface Room {
  /** False if there is no room now. */
  take(bytes: number): boolean
  give(bytes: number): void
}

export class PackReceiver {
  readonly #store: PackStore
  readonly #room: Room
  readonly #clock: Clock
  #upload: Upload | null = null
  #storing: { readonly number: UploadNumber; readonly done: Promise<UploadAnswer> } | null = null
  #last: { readonly number: UploadNumber; readonly answer: UploadAnswer } | null = null
  #isClosed = false

  constructor(store: PackStore, room: Room, clock: Clock) {
    this.#store = store
    this.#room = room
    this.#clock = clock
  }

  /**
   * Returns how many bytes of an upload have arrived. Stops reading from its connection, which the agent has
   * abandoned.
   */
  async look(number: UploadNumber): Promise<UploadAnswer> {
    const known = await this.#known(number)
    if (known) return known
    if (this.#upload?.number !== number) return { received: 0 }
    cutOff(this.#upload)
    return { received: this.#upload.received }
  }

  /** Null if the connection broke: it needs no answer. */
  async take(head: UploadHead, source: IncomingMessage): Promise<UploadAnswer | null> {
    const known = await this.#known(head.number)
    if (known) return known
    if (this.#isClosed) return { later: 'the files of this incarnation are closed' }
    const upload = this.#uploadOf(head)
    if (!upload) return { later: 'the coordinator holds the maximum of packs' }
    cutOff(upload)
    if (head.offset !== upload.received) return { received: upload.received }
    if (!(await fill(upload, source, this.#clock))) return null
    upload.unwatch()
    this.#upload = null
    const done = this.#storeOne(upload, head.committed)
    this.#storing = { number: head.number, done }
    try {
      return await done
    } finally {
      this.#storing = null
    }
  }

  /** `close`: everything is committed. `abandon`: recovery decides. */
  async end(how: 'close' | 'abandon'): Promise<readonly string[]> {
    if (this.#isClosed) return []
    this.#isClosed = true
    this.#drop()
    await this.#storing?.done
    if (how === 'close') return (await this.#store.close()).problems
    await this.#store.abandon()
    return []
  }

  async #known(number: UploadNumber): Promise<UploadAnswer | null> {
    const storing = this.#storing
    const answer = storing ? await storing.done : null
    if (storing?.number === number) return answer
    return this.#last?.number === number ? this.#last.answer : null
  }

  #uploadOf({ number, digest, total }: UploadHead): Upload | null {
    const { number: known, digest: expected } = this.#upload ?? { number: 0, digest: '' }
    if (known === number && expected === digest) return this.#upload
    this.#drop()
    if (!this.#room.take(total)) return null
    this.#upload = {
      number,
      digest,
      bytes: Buffer.allocUnsafeSlow(total),
      received: 0,
      source: null,
      receivedAt: this.#clock.monotonic(),
      unwatch: () => {},
    }
    this.#watch(this.#upload, LIMITS.uploadIdleMs)
    return this.#upload
  }

  /** Drops an upload without progress, connected or not: its memory is needed for other uploads. */
  #watch(upload: Upload, delayMs: Millis): void {
    upload.unwatch = this.#clock.after(delayMs, () => {
      const leftMs = upload.receivedAt + LIMITS.uploadIdleMs - this.#clock.monotonic()
      if (leftMs > 0) this.#watch(upload, leftMs)
      else this.#drop()
    })
  }

  #drop(): void {
    const upload = this.#upload
    if (!upload) return
    this.#upload = null
    upload.unwatch()
    cutOff(upload)
    this.#room.give(upload.bytes.length)
  }

  async #storeOne({ number, bytes, digest }: Upload, committed: UploadNumber): Promise<UploadAnswer> {
    try {
      if (digestOf([bytes]) !== digest) return { received: 0 }
      if (this.#last && this.#last.number !== committed) await this.#store.undo()
      this.#last = null
      const result = await this.#store.append(packIn(bytes))
      if (!result.ok)
        return {
          refused: { code: result.code === 'DISK_FULL' ? 'DISK_FULL' : 'DISK_FAILED', detail: result.detail },
        }
      this.#last = { number, answer: { files: result.files } }
      return this.#last.answer
    } finally {
      this.#room.give(bytes.length)
    }
  }
}

/** Stops reading from the present connection: a newer one replaces it. */
function cutOff(upload: Upload): void {
  upload.source?.destroy()
  upload.source = null
}

/** True if the upload is complete. */
async function fill(upload: Upload, source: IncomingMessage, clock: Clock): Promise<boolean> {
  upload.source = source
  try {
    for await (const part of source as AsyncIterable<Buffer>) {
      if (upload.source !== source || upload.received + part.length > upload.bytes.length) return false
      part.copy(upload.bytes, upload.received)
      upload.received += part.length
      upload.receivedAt = clock.monotonic()
    }
  } catch {
    return false
  }
  return upload.source === source && upload.received === upload.bytes.length
}
