/**
 * What a session does with every heartbeat, besides crawling: looks at the disk, tends tables and counts,
 * hears the user.
 */
import type { Baseline, TableKeeper } from '../agent/index.js'
import type { Heartbeat, Ledger } from '../cluster/index.js'
import type { CrawlConfig } from '../config/index.js'
import { type Millis, sleep } from '../model/clock.js'
import { isTrouble } from '../model/outcome.js'
import type { AbilityBook } from './ability-book.js'
import type { Crew } from './crew.js'
import type { DiskGuard } from './disk-guard.js'
import type { Log } from './log.js'
import type { Spent } from './spent.js'
import { systemClock as clock } from './system.js'

/** Between two counts, so many times as long as one took. */
const COUNT_PAUSE = 50
const CHECKPOINT_LOOK_MS = 100

export interface DutyParts {
  readonly config: CrawlConfig
  readonly ledger: Ledger
  /** Null before there is one. */
  readonly crew: () => Crew | null
  readonly keeper: TableKeeper
  readonly disk: DiskGuard
  /** Null while another process keeps the account. */
  readonly spent: () => Spent | null
  readonly isCoordinating: () => boolean
  readonly abilities: AbilityBook
  readonly log: Log
  readonly stop: () => void
}

export class HeartbeatDuties {
  readonly #parts: DutyParts
  /** What the ledger counted at the last look. */
  baseline: Baseline
  #checkpoint = ''
  #countAt: Millis = 0
  #isOver = false

  /** What other runs of this crawl did. */
  static baseline(ledger: Ledger): Promise<Baseline> {
    return baselineOf(ledger)
  }

  constructor(parts: DutyParts, baseline: Baseline) {
    this.#parts = parts
    this.baseline = baseline
  }

  /** From here on the ledger may be closed at any moment. */
  end(): void {
    this.#isOver = true
  }

  onHeartbeat({ settings }: Heartbeat): void {
    const { config, keeper, spent, stop, isCoordinating, abilities } = this.#parts
    // While the crawl is paused its files can be copied: none is replaced by another.
    if (config.tables !== 'none' && settings.pause !== 'true') void keeper.tend()
    if (settings.stop) stop()
    this.#aside(this.#lookAtDisk())
    if (!isCoordinating()) return
    this.#aside(this.#answerCheckpoint(settings))
    this.#aside(this.#count())
    this.#aside(abilities.tend())
    this.#aside(spent()?.tend() ?? Promise.resolve())
  }

  /** A fast crawl fills a small disk between two heartbeats. */
  onPack(): void {
    this.#aside(this.#lookAtDisk())
  }

  async #lookAtDisk(): Promise<void> {
    const { config, crew, disk, stop } = this.#parts
    await disk.look()
    crew()?.setDiskTrouble(disk.trouble)
    if (disk.troubleMs > config.maxWait * 1000) stop()
  }

  /** Looks at all sites: where they are millions that takes its time, and is done the less often. */
  async #count(): Promise<void> {
    const since = clock.monotonic()
    if (since < this.#countAt) return
    this.#countAt = Number.POSITIVE_INFINITY
    try {
      const { cells, backlog } = await this.#parts.ledger.totals()
      this.baseline = { ...this.baseline, sites: sum(Object.values(cells)), backlog }
    } finally {
      const now = clock.monotonic()
      this.#countAt = now + COUNT_PAUSE * (now - since)
    }
  }

  /**
   * `orbweaver checkpoint` asks by a number; the answer is the same number, once every agent, wherever it is,
   * has told it.
   */
  async #answerCheckpoint(settings: Readonly<Record<string, string>>): Promise<void> {
    const asked = settings['checkpoint.asked'] ?? ''
    if (asked === '' || asked === settings['checkpoint.done'] || asked === this.#checkpoint) return
    this.#checkpoint = asked
    const { ledger, keeper, isCoordinating } = this.#parts
    const isDone = async () => {
      const crawling = (await ledger.agents()).filter(({ lanes }) => lanes > 0)
      return crawling.every(
        ({ status }) => (JSON.parse(status) as { checkpoint?: string }).checkpoint === asked,
      )
    }
    while (this.#checkpoint === asked && !(await isDone())) {
      await sleep(clock, CHECKPOINT_LOOK_MS)
      if (this.#isOver || !isCoordinating()) return
    }
    await keeper.idle()
    await ledger.set({ 'checkpoint.done': asked })
  }

  /**
   * Nothing that a heartbeat asks for is worth ending the crawl: what matters fails again where it matters.
   */
  #aside(task: Promise<void>): void {
    task.catch((error: Error) => {
      if (!this.#isOver) this.#parts.log.warn('a heartbeat left something undone', { error: error.message })
    })
  }
}

async function baselineOf(ledger: Ledger): Promise<Baseline> {
  const { pages, bytes, cells, outcomes, backlog } = await ledger.totals()
  const errors = sum(outcomes.map(({ code, count }) => (isTrouble(code) ? count : 0)))
  return { pages, bytes, errors, sites: sum(Object.values(cells)), backlog }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
