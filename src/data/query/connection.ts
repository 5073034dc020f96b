/**
 * A connection to DuckDB whose statements can be cut short. DuckDB forgets an interrupt that comes between
 * two statements, so it is told again until it lets go. It looks for one between portions of rows: a single
 * long call of a function (`levenshtein` of two books) ends first.
 */
import type { DuckDBConnection } from '@duckdb/node-api'
import type { Clock } from '../../model/index.js'

const TELL_MS = 20

/** What ends statements from outside, and the clock by which DuckDB is told again. */
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
   * One call of DuckDB's interface. Once the signal aborts, DuckDB is interrupted, and the signal's reason is
   * thrown as soon as it has let go.
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

  /** Ends what is under way. */
  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    // DuckDB would make this thread wait for a statement that still runs.
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
