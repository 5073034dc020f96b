/**
 * A cheap replacement for AbortSignal inside an agent. An AbortSignal is accepted wherever a StopSignal is.
 * In Node every AbortSignal has its own hidden class, so that reading `aborted` becomes slow, and creating
 * one and linking it to another costs as much as parsing a page.
 */
export interface StopSignal {
  readonly aborted: boolean
  /** The listener is called once, and not at all after the abort. */
  addEventListener(type: 'abort', listener: () => void, options?: { readonly once?: boolean }): void
  removeEventListener(type: 'abort', listener: () => void): void
}

export class Stop implements StopSignal {
  #aborted = false
  #listeners: Set<() => void> | null = null

  get aborted(): boolean {
    return this.#aborted
  }

  /** The read-only side. */
  get signal(): StopSignal {
    return this
  }

  abort(): void {
    if (this.#aborted) return
    this.#aborted = true
    const listeners = this.#listeners
    this.#listeners = null
    if (listeners !== null) for (const listener of listeners) listener()
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    if (this.#aborted) return
    this.#listeners ??= new Set()
    this.#listeners.add(listener)
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners?.delete(listener)
  }
}

/** Aborts with the first of the two; `dispose` removes its listeners from both. */
export function eitherOf(
  one: StopSignal,
  other: StopSignal,
): { readonly signal: StopSignal; dispose(): void } {
  const either = new Stop()
  const stop = () => either.abort()
  if (one.aborted || other.aborted) stop()
  one.addEventListener('abort', stop, { once: true })
  other.addEventListener('abort', stop, { once: true })
  return {
    signal: either,
    dispose() {
      one.removeEventListener('abort', stop)
      other.removeEventListener('abort', stop)
    },
  }
}
