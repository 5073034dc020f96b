/**
 * The states of a node's URLs in the order in which they were listed (K6): an array that only grows, of which no more is kept
 * than the window that slides over it. The window begins at the oldest URL that is not done with; what is beyond its end is
 * not looked at. A STALLED URL does not hold it up: it is retried under a new number.
 */
const URL_STATES = ['IN_LIST', 'IN_PROGRESS', 'COMPLETED', 'STALLED'] as const
type UrlState = (typeof URL_STATES)[number]

const [IN_LIST, IN_PROGRESS, COMPLETED, STALLED] = [0, 1, 2, 3]
const LEAST = 1_024

export class UrlStates {
  readonly #window: number
  /** A ring: the number of a URL is its place, less whole turns. */
  #ring: Uint8Array
  /** The oldest number in the window, and the next that is given out. */
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

  /** URLs that were ever listed. */
  get listed(): number {
    return this.#next
  }

  /** Numbers for up to `count` more URLs, IN_LIST: as many as the window has room for, from the first on. */
  list(count: number): { readonly first: number; readonly count: number } {
    const room = Math.min(count, this.#window - this.size)
    while (this.size + room > this.#ring.length) this.#grow()
    const first = this.#next
    for (let number = first; number < first + room; number++) this.#ring[number % this.#ring.length] = IN_LIST
    this.#next += room
    return { first, count: room }
  }

  stateOf(number: number): UrlState {
    return number < this.#first ? 'COMPLETED' : URL_STATES[this.#ring[number % this.#ring.length]!]!
  }

  begin(number: number): void {
    this.#set(number, IN_PROGRESS)
  }

  complete(number: number): void {
    this.#set(number, COMPLETED)
    this.#slide()
  }

  stall(number: number): void {
    this.#set(number, STALLED)
    this.#slide()
  }

  #set(number: number, state: number): void {
    if (number < this.#first || number >= this.#next) throw new Error(`URL ${number} is not in the window`)
    this.#ring[number % this.#ring.length] = state
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
