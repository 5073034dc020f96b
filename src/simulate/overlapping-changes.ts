/**
 * Changes to one thing that begin and end each at its own time: a short outage within a long one does not end
 * it, and the end of a storm does not clear a fog.
 */
export class OverlappingChanges<T extends object> {
  readonly #what: T
  readonly #usual: Readonly<Partial<T>>
  /** Those that last, the latest last: where two change the same, it counts. */
  readonly #lasting = new Set<Readonly<Partial<T>>>()

  /** `usual` names everything that may be changed, and what it is otherwise. */
  constructor(what: T, usual: Readonly<Partial<T>>) {
    this.#what = what
    this.#usual = usual
  }

  /** Begins a change; the returned function ends it, and nothing else. */
  begin(change: Readonly<Partial<T>>): () => void {
    const own = { ...change }
    this.#lasting.add(own)
    Object.assign(this.#what, own)
    return () => {
      if (this.#lasting.delete(own)) Object.assign(this.#what, this.#usual, ...this.#lasting)
    }
  }
}
