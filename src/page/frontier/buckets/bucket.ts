/**
 * KSpider's bucket (K7): hosts whose URLs are gathered into lists, one connection per list (K8). A host's
 * column is the sum of its characters; a column has a few rows. The states of an element: FREE -> QUEUING
 * (its list is being gathered) -> FETCHING -> TIMEWAIT (the host rests) -> FREE. Free elements take no
 * memory. If all rows of a column are taken, others queue for the next one, on which the paper is silent.
 */

import type { BucketSizes } from '../../../config/index.js'
import { charSum } from '../../../model/bytes/index.js'

type ElementState = 'QUEUING' | 'FETCHING' | 'TIMEWAIT'

export interface BucketElement {
  readonly host: string
  readonly column: number
  state: ElementState
}

export class Bucket {
  readonly #sizes: Pick<BucketSizes, 'columns' | 'rows'>
  /** Only columns with elements. */
  readonly #columns = new Map<number, BucketElement[]>()
  /** Waiters for a row, by column. */
  readonly #lines = new Map<number, Set<() => void>>()

  constructor(sizes: Pick<BucketSizes, 'columns' | 'rows'>) {
    this.#sizes = sizes
  }

  columnOf(host: string): number {
    return charSum(host) % this.#sizes.columns
  }

  /** A free element for the host, now QUEUING; null if its column has none, or the host already has one. */
  place(host: string): BucketElement | null {
    const column = this.columnOf(host)
    const rows = this.#columns.get(column) ?? []
    if (rows.length >= this.#sizes.rows || rows.some(element => element.host === host)) return null
    const element: BucketElement = { host, column, state: 'QUEUING' }
    this.#columns.set(column, [...rows, element])
    return element
  }

  /** Calls `ready` once an element of the host's column is free. Returns the function that stops waiting. */
  overflow(host: string, ready: () => void): () => void {
    const column = this.columnOf(host)
    const line = this.#lines.get(column) ?? new Set()
    this.#lines.set(column, line)
    line.add(ready)
    return () => {
      line.delete(ready)
      if (line.size === 0 && this.#lines.get(column) === line) this.#lines.delete(column)
    }
  }

  /** The list is complete and goes to a connection. */
  fetch(element: BucketElement): void {
    this.#advance(element, 'QUEUING', 'FETCHING')
  }

  /** The list is finished, and its host rests. */
  rest(element: BucketElement): void {
    this.#advance(element, 'FETCHING', 'TIMEWAIT')
  }

  /** The rest is over. Notifies the first waiter. */
  free(element: BucketElement): void {
    const rows = this.#columns.get(element.column) ?? []
    const left = rows.filter(other => other !== element)
    if (left.length === rows.length) throw new Error(`${element.host} has no element`)
    if (left.length === 0) this.#columns.delete(element.column)
    else this.#columns.set(element.column, left)
    const line = this.#lines.get(element.column)
    const first = line?.values().next().value
    if (line === undefined || first === undefined) return
    line.delete(first)
    if (line.size === 0) this.#lines.delete(element.column)
    first()
  }

  #advance(element: BucketElement, from: ElementState, to: ElementState): void {
    if (element.state !== from) throw new Error(`${element.host} is ${element.state}, not ${from}`)
    element.state = to
  }
}
