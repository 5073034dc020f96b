import { statfs } from 'node:fs/promises'
import type { Clock, Millis } from '../../model/index.js'

/** Detects a disk that is nearly full, early enough that data which is not stored yet still fits. */
export class DiskGuard {
  readonly #directory: string
  readonly #minFreeBytes: number
  readonly #clock: Clock
  /** Why the disk counts as full: too little free space, or (`#refused`) a write that was refused. */
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

  /** The line for the user when the crawl stops because the disk stayed full. */
  get stopMessage(): string {
    return `${this.#found}; free some space, then resume`
  }

  get #found(): string {
    if (this.#refused !== '') return `the disk is full (${this.#refused})`
    return this.#low === '' ? '' : `the disk is nearly full (${this.#low})`
  }

  /** How long the disk has been full. */
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

  /** Call this when the disk refuses a write, and with null when it accepts one again. */
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
