/**
 * The port Fetcher over a reader of stored responses: bounds of time and memory, abort, and pauses in which
 * the thread serves its timers and sockets. A reader that always answers at once would otherwise starve them.
 */
import type { Clock, FetchLimits, Millis, StopSignal } from '../../../model/index.js'
import type { BodyBudget } from '../../fetch/body/index.js'
import type { Fetcher, FetchRequest, FetchResult } from '../../fetch/index.js'
import { LOCAL_TURN_MS } from '../../limits.js'
import { BodyClaim } from './body-claim.js'

/** Port: reads one stored response. It throws only on a bug. */
export interface LocalReader {
  /** The result, or a promise if the thread pool has to read. `claim` counts the memory of the body. */
  read(request: FetchRequest, startedAt: Millis, claim: BodyClaim): FetchResult | Promise<FetchResult>
  close(): void
}

interface ReadTools {
  readonly clock: Clock
  readonly limits: FetchLimits
  readonly budget: BodyBudget
}

const GIVEN_UP: FetchResult = { ok: false, code: 'RESET', detail: 'given up' }
const NO_ADDRESSES: readonly string[] = []

export class LocalFetcher implements Fetcher {
  readonly #reader: LocalReader
  readonly #tools: ReadTools
  /** When the thread last served its timers and sockets, as far as we know. */
  #servedAt: Millis
  #serving: Promise<void> | null = null
  #closed = false

  constructor(reader: LocalReader, tools: ReadTools) {
    this.#reader = reader
    this.#tools = tools
    this.#servedAt = tools.clock.monotonic()
  }

  async fetch(request: FetchRequest, signal: StopSignal): Promise<FetchResult> {
    if (this.#tools.clock.monotonic() - this.#servedAt > LOCAL_TURN_MS) await this.#serve()
    if (this.#closed || signal.aborted || request.mayBegin?.() === false) return GIVEN_UP
    const claim = new BodyClaim(this.#tools.budget)
    if (this.#tools.budget.isFull) {
      await claim.room(0)
      if (this.#closed || signal.aborted || request.mayBegin?.() === false) {
        claim.leave()
        return GIVEN_UP
      }
    }
    let result: FetchResult
    try {
      const read = this.#reader.read(request, this.#tools.clock.now(), claim)
      result = read instanceof Promise ? await this.#within(read, claim, signal) : read
    } catch (error) {
      result = { ok: false, code: 'INTERNAL_ERROR', detail: String(error), error }
    }
    if (!request.holdsBody || result.exchange === undefined) claim.leave()
    return result
  }

  /** No address is asked. */
  resolve(): Promise<readonly string[]> {
    return Promise.resolve(NO_ADDRESSES)
  }

  setConnections(): void {}

  async close(): Promise<void> {
    this.#closed = true
    this.#reader.close()
  }

  /** One pause for all lanes that ask meanwhile. */
  #serve(): Promise<void> {
    this.#serving ??= new Promise(resolve =>
      this.#tools.clock.soon(() => {
        this.#serving = null
        this.#servedAt = this.#tools.clock.monotonic()
        resolve()
      }),
    )
    return this.#serving
  }

  /** A read cannot be cancelled: its memory counts until it is over, but nobody waits for it. */
  #within(read: Promise<FetchResult>, claim: BodyClaim, signal: StopSignal): Promise<FetchResult> {
    const { clock, limits } = this.#tools
    return new Promise((resolve, reject) => {
      let isOver = false
      const end = (settle: () => void) => {
        isOver = true
        cancel()
        signal.removeEventListener('abort', abort)
        settle()
      }
      const leave = (result: FetchResult) => {
        claim.leaveAfter(read)
        end(() => resolve(result))
      }
      const abort = () => leave(GIVEN_UP)
      const late = () => leave({ ok: false, code: 'BODY_TOO_SLOW', detail: 'the file was not read in time' })
      const cancel = clock.after(limits.fetchMs, late)
      signal.addEventListener('abort', abort, { once: true })
      read.then(
        result => !isOver && end(() => resolve(result)),
        error => !isOver && end(() => reject(error)),
      )
    })
  }
}
