/**
 * What a process does with every heartbeat besides crawling: checks the disk, merges tables, counts, and
 * obeys the commands of the user.
 */

import type { LaneStatus } from '../../bus/index.js'
import type { CrawlConfig } from '../../config/index.js'
import type { TableMerger } from '../../data/store/index.js'
import { type Heartbeat, type Incarnation, type Ledger, withHeartbeat } from '../../ledger/index.js'
import { type Clock, isTrouble, type Millis, sleep, sum } from '../../model/index.js'
import { type LedgerCount, type ProgressSources, queuedOf } from '../../report/index.js'
import type { AgentPool } from '../agents/index.js'
import type { Log } from '../directory/index.js'
import { CHECKPOINT_LOOK_MS, COUNT_PAUSE_COUNTS } from '../limits.js'
import type { AgentAbilities, DiskGuard, UsageMeter } from '../machine/index.js'

export interface HeartbeatTasksParts {
  readonly clock: Clock
  readonly config: CrawlConfig
  readonly ledger: Ledger
  /** Null until the agents have started. */
  readonly agentPool: () => AgentPool | null
  readonly tableMerger: TableMerger
  readonly disk: DiskGuard
  /** Null while another process measures usage. */
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

  /** `start`: what earlier runs and other processes had done when this one began. */
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

  /** From now on the ledger may be closed at any moment. */
  end(): void {
    this.#isOver = true
  }

  onHeartbeat({ settings }: Heartbeat): void {
    const { config, tableMerger, usage, stop, isCoordinating, abilities } = this.#parts
    // While the crawl is paused a user may copy its files, so none is replaced.
    if (config.tables !== 'none' && settings.pause !== 'true') void tableMerger.mergeIfDue()
    if (settings.stop) stop()
    if (settings.maxPages !== undefined) this.#maxPages = Number(settings.maxPages) || null
    this.#aside(this.#lookAtDisk())
    if (!isCoordinating()) return
    this.#aside(this.#answerCheckpoint(settings))
    this.#aside(this.#count())
    this.#aside(abilities.update())
    this.#aside(usage()?.saveIfDue() ?? Promise.resolve())
  }

  /** Counts again at once: the last count is out of date after seeding and after agents have ended. */
  recount(): void {
    if (this.#countAt !== Number.POSITIVE_INFINITY) this.#countAt = 0
    this.#aside(this.#count())
  }

  /** A fast crawl can fill a small disk between two heartbeats. */
  onPack(): void {
    this.#aside(this.#lookAtDisk())
  }

  async #lookAtDisk(): Promise<void> {
    const { config, agentPool, disk, stop } = this.#parts
    await disk.look()
    agentPool()?.setDiskTrouble(disk.trouble)
    if (disk.troubleMs > config.maxWait * 1000) stop()
  }

  /** Reads all sites: the longer that takes, the less often it is done. */
  async #count(): Promise<void> {
    const { clock } = this.#parts
    const since = clock.monotonic()
    if (since < this.#countAt) return
    this.#countAt = Number.POSITIVE_INFINITY
    try {
      const { ledger, agentPool, config } = this.#parts
      const isElsewhere = (incarnation: Incarnation) => !agentPool()?.isAlive(incarnation)
      this.#latest = await countLedger(ledger, config.ledger === undefined ? null : isElsewhere)
    } finally {
      const now = clock.monotonic()
      this.#countAt = now + COUNT_PAUSE_COUNTS * (now - since)
    }
  }

  /**
   * `orbweaver checkpoint` writes a number; the answer is the same number, once every agent has reported it.
   */
  async #answerCheckpoint(settings: Readonly<Record<string, string>>): Promise<void> {
    const asked = settings['checkpoint.asked'] ?? ''
    if (asked === '' || asked === settings['checkpoint.done'] || asked === this.#checkpoint) return
    this.#checkpoint = asked
    const { clock, ledger, tableMerger, isCoordinating } = this.#parts
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
    await tableMerger.idle()
    await ledger.set({ 'checkpoint.done': asked })
  }

  /**
   * A failure here does not end the crawl: a serious problem also fails a call on which the crawl depends.
   */
  #aside(task: Promise<void>): void {
    task.catch((error: Error) => {
      if (!this.#isOver) this.#parts.log.warn('a task of a heartbeat failed', { error: error.message })
    })
  }
}

/**
 * `isElsewhere` tells whether an incarnation belongs to another process. It is null if the ledger is a file,
 * because then no other process has agents.
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
