import { statfs } from 'node:fs/promises'
import type { Clock, Millis } from '../../model/index.js'

/** Notices a disk that is nearly full, before it is: what is known but not yet stored still has to fit. */
export class DiskGuard {
  readonly #directory: string
  readonly #minFreeBytes: number
  readonly #clock: Clock
  /** What is wrong: too little left, or a write that was refused. */
  #low = ''
  #refused = ''
  #since: Millis | null = null

  constructor(directory: string, minFreeBytes: number, clock: Clock) {
    this.#directory = directory
    this.#minFreeBytes = minFreeBytes
    this.#clock = clock
  }

  /** One line for the user; empty while there is room. */
  get trouble(): string {
    const found = this.#found
    return found === '' ? '' : `${found}; free some space and the crawl goes on`
  }

  /** The same when it has been waited for long enough. */
  get stopMessage(): string {
    return `${this.#found}; free some space, then resume`
  }

  get #found(): string {
    if (this.#refused !== '') return `the disk is full (${this.#refused})`
    return this.#low === '' ? '' : `the disk is nearly full (${this.#low})`
  }

  /** How long there has been trouble. */
  get troubleMs(): Millis {
    return this.#since === null ? 0 : this.#clock.monotonic() - this.#since
  }

  async look(): Promise<void> {
    const { bavail, bsize } = await statfs(this.#directory)
    const free = bavail * bsize
    const wanted = megabytes(this.#minFreeBytes)
    this.#low = free >= this.#minFreeBytes ? '' : `${megabytes(free)} left, --min-free-disk wants ${wanted}`
    this.#note()
  }

  /** The disk refused a write (or, with null, took one). */
  refused(detail: string | null): void {
    this.#refused = detail ?? ''
    this.#note()
  }

  #note(): void {
    if (this.trouble === '') this.#since = null
    else this.#since ??= this.#clock.monotonic()
  }
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`
}
