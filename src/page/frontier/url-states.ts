/**
 * The states of a node's URLs in the order of listing (K6): a growing array, of which only a sliding window
 * is kept. It begins at the oldest unfinished URL; while it is full, no list is made. A URL is IN_LIST, then
 * IN_PROGRESS, then COMPLETED, or STALLED from either. A stalled URL returns to the queue of its site and is
 * listed again under a new number, so it delays no other.
 */
const STATES = ['IN_LIST', 'IN_PROGRESS', 'COMPLETED', 'STALLED'] as const
const [IN_LIST, IN_PROGRESS, COMPLETED, STALLED] = [0, 1, 2, 3]
const LEAST = 1_024

export class UrlStates {
  readonly #window: number
  /** A ring buffer: the number of a URL modulo its length is the index. */
  #ring: Uint8Array
  /** The oldest number in the window, and the next new one. */
  #first = 0
  #next = 0

  constructor(window: number) {
    this.#window = window
    this.#ring = new Uint8Array(Math.min(window, LEAST))
  }

  /** URLs in the window. */
  get size(): number {
    return this.#next - this.#first
  }

  /** Numbers for up to `count` more URLs, IN_LIST, as far as the window has room. */
  list(count: number): { readonly first: number; readonly count: number } {
    const room = Math.min(count, this.#window - this.size)
    while (this.size + room > this.#ring.length) this.#grow()
    const first = this.#next
    for (let number = first; number < first + room; number++) this.#ring[number % this.#ring.length] = IN_LIST
    this.#next += room
    return { first, count: room }
  }

  begin(number: number): void {
    this.#advance(number, IN_PROGRESS, IN_LIST)
  }

  complete(number: number): void {
    this.#advance(number, COMPLETED, IN_PROGRESS)
    this.#slide()
  }

  stall(number: number): void {
    this.#advance(number, STALLED, IN_LIST, IN_PROGRESS)
    this.#slide()
  }

  #advance(number: number, to: number, ...from: readonly number[]): void {
    if (number < this.#first || number >= this.#next) throw new Error(`URL ${number} is not in the window`)
    const state = this.#ring[number % this.#ring.length]!
    if (!from.includes(state)) throw new Error(`URL ${number} is ${STATES[state]}, not ${STATES[from[0]!]}`)
    this.#ring[number % this.#ring.length] = to
  }

  #slide(): void {
    while (this.#first < this.#next && this.#ring[this.#first % this.#ring.length]! >= COMPLETED)
      this.#first++
  }

  #grow(): void {
    const larger = new Uint8Array(Math.min(this.#window, 2 * this.#ring.length))
    for (let number = this.#first; number < this.#next; number++)
      larger[number % larger.length] = this.#ring[number % this.#ring.length]!
    this.#ring = larger
  }
}
