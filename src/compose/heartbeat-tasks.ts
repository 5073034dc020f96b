/**
 * What a session does with every heartbeat, besides crawling: looks at the disk, tends tables and counts,
 * hears the user.
 */

import type { LaneStatus } from '../bus/index.js'
import type { CrawlConfig } from '../config/index.js'
import type { TableMerger } from '../data/store/index.js'
import { type Heartbeat, type Incarnation, type Ledger, withHeartbeat } from '../ledger/index.js'
import { isTrouble, type Millis, sleep } from '../model/index.js'
import { type LedgerCount, type ProgressSources, queuedOf } from '../report/index.js'
import type { AgentAbilities, DiskGuard, UsageMeter } from '../runtime/index.js'
import type { AgentPool } from './agent-pool.js'
import type { Log } from './log.js'
import { systemClock as clock } from './system-clock.js'

/** Between two counts, so many times as long as one took. */
const COUNT_PAUSE = 50
const CHECKPOINT_LOOK_MS = 100

export interface HeartbeatTasksParts {
  readonly config: CrawlConfig
  readonly ledger: Ledger
  /** Null before there is one. */
  readonly agentPool: () => AgentPool | null
  readonly keeper: TableMerger
  readonly disk: DiskGuard
  /** Null while another process keeps the account. */
  readonly usage: () => UsageMeter | null
  readonly isCoordinating: () => boolean
  readonly abilities: AgentAbilities
  readonly log: Log
  readonly stop: () => void
}

export class HeartbeatTasks {
  readonly #parts: HeartbeatTasksParts
  readonly #start: LedgerCount
  #latest: LedgerCount
  #maxPages: number | null
  #checkpoint = ''
  #countAt: Millis = 0
  #isOver = false

  /** `start`: what other runs of this crawl, and other processes, have done before this one began. */
  constructor(parts: HeartbeatTasksParts, start: LedgerCount) {
    this.#parts = parts
    this.#start = start
    this.#latest = start
    this.#maxPages = parts.config.maxPages ?? null
  }

  get progress(): ProgressSources {
    const { disk } = this.#parts
    return { start: this.#start, latest: this.#latest, maxPages: this.#maxPages, trouble: disk.trouble }
  }

  /** From here on the ledger may be closed at any moment. */
  end(): void {
    this.#isOver = true
  }

  onHeartbeat({ settings }: Heartbeat): void {
    const { config, keeper, usage, stop, isCoordinating, abilities } = this.#parts
    // While the crawl is paused its files can be copied: none is replaced by another.
    if (config.tables !== 'none' && settings.pause !== 'true') void keeper.mergeIfDue()
    if (settings.stop) stop()
    if (settings.maxPages !== undefined) this.#maxPages = Number(settings.maxPages) || null
    this.#aside(this.#lookAtDisk())
    if (!isCoordinating()) return
    this.#aside(this.#answerCheckpoint(settings))
    this.#aside(this.#count())
    this.#aside(abilities.update())
    this.#aside(usage()?.saveIfDue() ?? Promise.resolve())
  }

  /** Seeds have come, or agents have given back what they had: what was counted before is no longer true. */
  recount(): void {
    if (this.#countAt !== Number.POSITIVE_INFINITY) this.#countAt = 0
    this.#aside(this.#count())
  }

  /** A fast crawl fills a small disk between two heartbeats. */
  onPack(): void {
    this.#aside(this.#lookAtDisk())
  }

  async #lookAtDisk(): Promise<void> {
    const { config, agentPool, disk, stop } = this.#parts
    await disk.look()
    agentPool()?.setDiskTrouble(disk.trouble)
    if (disk.troubleMs > config.maxWait * 1000) stop()
  }

  /** Looks at all sites: where they are millions that takes its time, and is done the less often. */
  async #count(): Promise<void> {
    const since = clock.monotonic()
    if (since < this.#countAt) return
    this.#countAt = Number.POSITIVE_INFINITY
    try {
      const { ledger, agentPool, config } = this.#parts
      const isElsewhere = (incarnation: Incarnation) => !agentPool()?.isAlive(incarnation)
      this.#latest = await countLedger(ledger, config.ledger === undefined ? null : isElsewhere)
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
      if (!this.#isOver) this.#parts.log.warn('a task of a heartbeat failed', { error: error.message })
    })
  }
}

/**
 * `isElsewhere`: whether an incarnation is of another process; null where the ledger is a file, and there are
 * none.
 */
export async function countLedger(
  ledger: Ledger,
  isElsewhere: ((incarnation: Incarnation) => boolean) | null,
): Promise<LedgerCount> {
  const totals = await ledger.totals()
  const { pages, bytes, sites, outcomes, backlog } = totals
  const errors = sum(outcomes.map(({ code, count }) => (isTrouble(code) ? count : 0)))
  const others =
    isElsewhere === null
      ? []
      : withHeartbeat(await ledger.agents()).filter(({ incarnation }) => isElsewhere(incarnation))
  const activeElsewhere = sum(others.map(({ status }) => busyLanesIn(status)))
  return { pages, bytes, errors, queued: queuedOf(totals), backlog, sites, activeElsewhere }
}

function busyLanesIn(status: string): number {
  return (JSON.parse(status) as Partial<LaneStatus>).busyLanes?.length ?? 0
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
