/**
 * Tells those who listen to stop, once and for good. An AbortSignal will do wherever a StopSignal is asked
 * for; inside an agent it would not: Node gives every one of them a shape of its own, so that code which has
 * seen a few looks `aborted` up anew each time it asks, and to make one and tie it to another costs as much
 * as parsing a page.
 */
export interface StopSignal {
  readonly aborted: boolean
  /** Called once; not at all where it was aborted before. */
  addEventListener(type: 'abort', listener: () => void, options?: { readonly once?: boolean }): void
  removeEventListener(type: 'abort', listener: () => void): void
}

export class Stop implements StopSignal {
  #aborted = false
  #listeners: Set<() => void> | null = null

  get aborted(): boolean {
    return this.#aborted
  }

  /** For those who may listen, but not stop others. */
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

/** Aborts with the first of the two; `untie` when it is over, or they would know of it for ever. */
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
