/**
 * Aborts fetches with their signal. Thousands of fetches share a signal, and a listener for each would be
 * slow to remove, so each signal gets one listener and a set of the fetches in flight.
 */
import type { StopSignal } from '../../model/index.js'
export interface Abortable {
  abort(): void
}

export class AbortWatch {
  readonly #bySignal = new WeakMap<StopSignal, Set<Abortable>>()
  readonly #all = new Set<Abortable>()

  add(signal: StopSignal, member: Abortable): void {
    this.#all.add(member)
    this.#members(signal).add(member)
  }

  remove(signal: StopSignal, member: Abortable): void {
    this.#all.delete(member)
    this.#bySignal.get(signal)?.delete(member)
  }

  abortAll(): void {
    for (const member of [...this.#all]) member.abort()
  }

  #members(signal: StopSignal): Set<Abortable> {
    const known = this.#bySignal.get(signal)
    if (known !== undefined) return known
    const members = new Set<Abortable>()
    this.#bySignal.set(signal, members)
    signal.addEventListener(
      'abort',
      () => {
        for (const member of [...members]) member.abort()
      },
      { once: true },
    )
    return members
  }
}
