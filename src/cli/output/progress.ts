/** What the user sees while a crawl runs: a live line on a terminal, elsewhere a plain line every 10 s. */

import { type Cancel, type Clock, forTerminal, number, withoutControls } from '../../model/index.js'
import type { Progress } from '../../report/index.js'
import { BAR_CHARS, PROGRESS_LIVE_MS, PROGRESS_PLAIN_MS } from '../limits.js'
import { duration, size } from './summary.js'

/** Pages per second are averaged over this many samples. */
const WINDOW = 20

interface LiveLine {
  (text: string): void
  clear(): void
}

interface Look {
  readonly at: number
  readonly pages: number
}

export class ProgressDisplay {
  readonly #clock: Clock
  readonly #stream: NodeJS.WriteStream
  readonly #read: () => Progress | null
  readonly #looks: Look[] = []
  readonly #live: LiveLine | null
  readonly #startedAt: number
  #isFirst = true
  #stopped = false
  #cancel: Cancel = () => {}

  private constructor(
    clock: Clock,
    stream: NodeJS.WriteStream,
    read: () => Progress | null,
    live: LiveLine | null,
  ) {
    this.#clock = clock
    this.#stream = stream
    this.#read = read
    this.#live = live
    this.#startedAt = clock.monotonic()
    this.#tick()
  }

  static async start(
    clock: Clock,
    stream: NodeJS.WriteStream,
    read: () => Progress | null,
  ): Promise<ProgressDisplay> {
    // A terminal that does not know its size (`script`, some CI) would get nothing at all.
    if (stream.isTTY) Object.assign(stream, { columns: stream.columns || 80, rows: stream.rows || 24 })
    const live = stream.isTTY ? (await import('log-update')).createLogUpdate(stream) : null
    return new ProgressDisplay(clock, stream, read, live)
  }

  /** Prints a line above the live lines. */
  say(line: string): void {
    this.#live?.clear()
    this.#stream.write(`${forTerminal(line)}\n`)
  }

  stop(): void {
    this.#stopped = true
    this.#cancel()
    this.#live?.clear()
  }

  #tick(): void {
    if (this.#stopped) return
    const text = this.#text()
    if (this.#live) this.#live(text)
    else if (!this.#isFirst) this.#stream.write(`${text.replaceAll('\n', '; ')}\n`)
    this.#isFirst = false
    this.#cancel = this.#clock.after(this.#live ? PROGRESS_LIVE_MS : PROGRESS_PLAIN_MS, () => this.#tick())
  }

  #text(): string {
    const progress = this.#read()
    if (progress === null) return 'starting'
    const now = this.#clock.monotonic()
    if (this.#looks.length === 0) this.#looks.push({ at: this.#startedAt, pages: progress.earlierPages })
    this.#looks.push({ at: now, pages: progress.pages })
    if (this.#looks.length > WINDOW) this.#looks.shift()
    const parts = [
      `${number(progress.pages)} pages`,
      `${this.#speed().toFixed(1)}/s`,
      `${number(progress.queued)} queued`,
      `${number(progress.errors)} failed or refused`,
      `${number(progress.activeSites)} of ${number(progress.sites)} sites`,
      size(progress.bytes),
      duration((now - this.#startedAt) / 1000),
    ]
    const line = this.#fit(bar(shareDone(progress)), parts)
    return progress.waiting === '' ? line : `${line}\n  waiting: ${withoutControls(progress.waiting)}`
  }

  /** In two lines on a terminal that is too narrow for one. */
  #fit(done: string, parts: readonly string[]): string {
    const whole = `${done} ${parts.join(' · ')}`
    if (this.#live === null || whole.length < this.#stream.columns) return whole
    return `${done} ${parts.slice(0, 3).join(' · ')}\n  ${parts.slice(3).join(' · ')}`
  }

  #speed(): number {
    const first = this.#looks[0]
    const last = this.#looks[this.#looks.length - 1]
    const seconds = (last.at - first.at) / 1000
    return seconds > 0 ? (last.pages - first.pages) / seconds : 0
  }
}

/** The fraction that is done, of the known URLs or of the page limit, whichever is reached first. */
function shareDone({ pages, errors, queued, maxPages }: Progress): number {
  const settled = pages + errors
  const ofKnown = settled === 0 ? 0 : settled / (settled + queued)
  return maxPages === null ? ofKnown : Math.max(ofKnown, pages / maxPages)
}

function bar(share: number): string {
  const full = Math.max(0, Math.min(BAR_CHARS, Math.round(share * BAR_CHARS)))
  return `[${'#'.repeat(full)}${'-'.repeat(BAR_CHARS - full)}]`
}
