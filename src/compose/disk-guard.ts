import { statfs } from 'node:fs/promises'
import type { Clock, Millis } from '../model/clock.js'

/** Notices a disk that is nearly full, before it is: what is known but not yet stored still has to fit. */
export class DiskGuard {
  readonly #directory: string
  readonly #minFreeBytes: number
  readonly #clock: Clock
  #lowSince: Millis | null = null
  #trouble = ''

  constructor(directory: string, minFreeBytes: number, clock: Clock) {
    this.#directory = directory
    this.#minFreeBytes = minFreeBytes
    this.#clock = clock
  }

  /** One line for the user; empty while there is room. */
  get trouble(): string {
    return this.#trouble
  }

  /** How long the disk has been too full. */
  get lowMs(): Millis {
    return this.#lowSince === null ? 0 : this.#clock.monotonic() - this.#lowSince
  }

  async look(): Promise<void> {
    const { bavail, bsize } = await statfs(this.#directory)
    const free = bavail * bsize
    if (free >= this.#minFreeBytes) return this.#clear()
    this.refused(`${megabytes(free)} left, --min-free-disk wants ${megabytes(this.#minFreeBytes)}`)
  }

  /** The disk refused a write (or, with null, took one). */
  refused(detail: string | null): void {
    if (detail === null) {
      this.#clear()
      return
    }
    this.#lowSince ??= this.#clock.monotonic()
    this.#trouble = `the disk is nearly full (${detail}); free some space and the crawl goes on`
  }

  #clear(): void {
    this.#lowSince = null
    this.#trouble = ''
  }
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`
}
