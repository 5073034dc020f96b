/**
 * A connection to DuckDB whose statements can be interrupted. DuckDB forgets an interrupt that arrives
 * between two statements, so it is repeated until the statement ends. DuckDB checks for it between batches of
 * rows: a single long call of a function (`levenshtein` of two books) ends first.
 */
import type { DuckDBConnection } from '@duckdb/node-api'
import type { Clock } from '../../model/index.js'

const TELL_MS = 20

/** The signal that interrupts statements, and the clock for repeating the interrupt. */
export interface Interruption {
  readonly signal: AbortSignal
  readonly clock: Clock
}

export class Connection {
  readonly #inner: DuckDBConnection
  readonly #interruption: Interruption | undefined
  readonly #pending = new Set<Promise<unknown>>()
  #isClosed = false

  constructor(inner: DuckDBConnection, interruption?: Interruption) {
    this.#inner = inner
    this.#interruption = interruption
  }

  /**
   * Makes one call to DuckDB. When the signal aborts, the call is interrupted, then the signal's reason is
   * thrown.
   */
  async call<T>(work: (inner: DuckDBConnection) => Promise<T>): Promise<T> {
    const signal = this.#interruption?.signal
    signal?.throwIfAborted()
    if (this.#isClosed) throw new Error('the connection is closed')
    const result = work(this.#inner)
    this.#pending.add(result)
    const interrupt = () => this.#interruptUntil(result)
    signal?.addEventListener('abort', interrupt, { once: true })
    try {
      return await result
    } catch (error) {
      signal?.throwIfAborted()
      throw error
    } finally {
      signal?.removeEventListener('abort', interrupt)
      this.#pending.delete(result)
    }
  }

  /** Interrupts the calls that are running. */
  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    // `closeSync` would block this thread until running statements end.
    await Promise.all([...this.#pending].map(result => this.#interruptUntil(result)))
    this.#inner.closeSync()
  }

  async #interruptUntil(result: Promise<unknown>): Promise<void> {
    let cancel = () => {}
    const tell = () => {
      this.#inner.interrupt()
      cancel = this.#interruption?.clock.after(TELL_MS, tell) ?? cancel
    }
    tell()
    await result.catch(() => {})
    cancel()
  }
}
