/**
 * The store of an agent that does not see the real one: it sends packs to the coordinator. Without a
 * coordinator, `append` fails as it would with a full disk: the agent pauses, keeps the pack and tries again.
 */

import type { AppendResult, CloseResult, PackBytes, PackStore } from '../../data/store/index.js'
import type { Incarnation } from '../../ledger/index.js'
import { type Clock, type Millis, sleep } from '../../model/index.js'
import { type Channel, UnavailableError } from './channel.js'
import { frameOf, type PackFrame } from './pack-frame.js'
import { endPath, HEADERS, type UploadAnswer, type UploadNumber, uploadPath } from './protocol.js'

export interface RemotePackStoreParts {
  readonly incarnation: Incarnation
  readonly channel: Channel
  readonly clock: Clock
}

/** How long to try before the store counts as away. */
const PATIENCE_MS: Millis = 5_000
const AGAIN_MS: Millis = 250

interface Upload {
  readonly number: UploadNumber
  readonly frame: PackFrame
  /** Bytes that are known to have arrived. */
  received: number
}

export class RemotePackStore implements PackStore {
  readonly #parts: RemotePackStoreParts
  #lastNumber: UploadNumber = 0
  /** Not stored yet: if the same bytes are appended again, the upload continues. */
  #pending: Upload | null = null
  /** Stored, and neither committed nor undone yet. */
  #stored: UploadNumber | null = null
  #committed: UploadNumber = 0

  constructor(parts: RemotePackStoreParts) {
    this.#parts = parts
  }

  async append(pack: PackBytes): Promise<AppendResult> {
    const { clock } = this.#parts
    if (this.#stored !== null) this.#committed = this.#stored
    this.#stored = null
    const upload = this.#uploadOf(frameOf(pack))
    for (const until = clock.monotonic() + PATIENCE_MS; ; ) {
      const answer = await this.#send(upload)
      if ('files' in answer) {
        this.#pending = null
        this.#stored = upload.number
        return { ok: true, files: answer.files }
      }
      if ('refused' in answer) return { ok: false, ...answer.refused }
      // The next heartbeat ends this incarnation.
      if ('over' in answer) return { ok: false, code: 'STORE_AWAY', detail: answer.over }
      const isLate = clock.monotonic() > until
      if ('later' in answer) {
        if (isLate) return { ok: false, code: 'STORE_AWAY', detail: answer.later }
        await sleep(clock, AGAIN_MS)
      } else {
        if (isLate && answer.received <= upload.received)
          return { ok: false, code: 'STORE_AWAY', detail: 'packs do not arrive intact at the coordinator' }
        upload.received = answer.received
      }
    }
  }

  /** The next upload names the last committed pack: the receiver first removes a later one. */
  async undo(): Promise<void> {
    this.#stored = null
  }

  async close(): Promise<CloseResult> {
    const { clock, channel, incarnation } = this.#parts
    for (const until = clock.monotonic() + PATIENCE_MS; ; await sleep(clock, AGAIN_MS)) {
      const problems = await channel.ask({ method: 'POST', path: endPath(incarnation, 'close') }).then(
        ({ status }) => (status === 200 ? [] : [`the coordinator answers ${status}`]),
        error => [(error as Error).message],
      )
      if (problems.length > 0 && clock.monotonic() < until) continue
      channel.close()
      return { files: [], problems: problems.map(problem => `files are left to recovery: ${problem}`) }
    }
  }

  async abandon(): Promise<void> {
    const { channel, incarnation } = this.#parts
    await channel.ask({ method: 'POST', path: endPath(incarnation, 'abandon') }).catch(() => {})
    channel.close()
  }

  #uploadOf(frame: PackFrame): Upload {
    const isSame = this.#pending?.frame.digest === frame.digest
    this.#pending = isSame ? { ...this.#pending!, frame } : { number: ++this.#lastNumber, frame, received: 0 }
    return this.#pending
  }

  /** After a broken connection, asks how many bytes have arrived. */
  async #send({ number, frame, received }: Upload): Promise<UploadAnswer> {
    const { channel, incarnation } = this.#parts
    const headers = {
      [HEADERS.offset]: String(received),
      [HEADERS.total]: String(frame.bytes),
      [HEADERS.digest]: frame.digest,
      [HEADERS.committed]: String(this.#committed),
    }
    const path = uploadPath(incarnation, number)
    const body = { buffers: frame.buffers, offset: received }
    try {
      return answerIn(await channel.ask({ method: 'PUT', path, headers, body }))
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error
      const asked = await channel.ask({ method: 'GET', path }).catch(() => null)
      const known = asked && answerIn(asked)
      return known && !('later' in known) ? known : { later: error.message }
    }
  }
}

function answerIn({ status, body }: { readonly status: number; readonly body: Buffer }): UploadAnswer {
  if (status === 401) return { later: 'the coordinator refuses the token of this crawl' }
  try {
    const answer = JSON.parse(body.toString('utf8')) as UploadAnswer
    if (['files', 'received', 'refused', 'later', 'over'].some(word => word in answer)) return answer
  } catch {
    // The answer is not that of a coordinator.
  }
  return { later: `another server answers at the address of the coordinator (${status})` }
}
