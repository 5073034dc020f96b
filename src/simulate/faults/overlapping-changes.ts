/** Temporary changes of one object that may overlap: the end of a short outage does not end a longer one. */
export class OverlappingChanges<T extends object> {
  readonly #target: T
  readonly #usual: Readonly<Partial<T>>
  /** Changes in force, in the order they began: of two that change the same field, the later wins. */
  readonly #active = new Set<Readonly<Partial<T>>>()

  /** `usual` has each field that may change, with its normal value. */
  constructor(target: T, usual: Readonly<Partial<T>>) {
    this.#target = target
    this.#usual = usual
  }

  /** Begins a change; the returned function ends it. */
  begin(change: Readonly<Partial<T>>): () => void {
    const own = { ...change }
    this.#active.add(own)
    Object.assign(this.#target, own)
    return () => {
      if (this.#active.delete(own)) Object.assign(this.#target, this.#usual, ...this.#active)
    }
  }
}
