/**
 * The machines of a simulated crawl and what befalls them: started, killed, frozen, revived, cut off, started
 * again.
 */
import path from 'node:path'
import type { Incarnation } from '../ledger/index.js'
import { FrontierSpace } from '../page/frontier/index.js'
import type { Violation } from './checker.js'
import { type Fault, LEASE_MS } from './faults.js'
import { GOOD_CONDITIONS, type LedgerConditions } from './flaky-ledger.js'
import type { History } from './history.js'
import { Machine } from './machine.js'
import { OverlappingChanges } from './overlapping-changes.js'
import { runIncarnation, type WorldParts } from './run-incarnation.js'
import type { DiskHealth } from './virtual-store.js'

export interface FleetParts extends WorldParts {
  readonly history: History
  readonly scratch: string
  readonly faults: readonly Fault[]
  readonly expectedRequests: number
}

/** An agent process: its machine, its incarnation once it has joined, its disk. */
interface Process {
  readonly machine: Machine
  readonly machineChanges: OverlappingChanges<Machine>
  readonly health: DiskHealth
  readonly diskChanges: OverlappingChanges<DiskHealth>
  incarnation: Incarnation
  /** Dies when its next pack is stored. */
  diesAfterStore: (() => void) | null
  isOver: boolean
}

const SEEN_BYTES = 256 * 1024
const QUEUE_BYTES = 256 * 1024
const RESTART_MS = 5_000
/** What it takes a supervisor to see that a process is gone. */
const SEEN_MS = 200
const COORDINATORS = 2
const WELL_MACHINE = { isCutOff: false, slownessMs: 0 }
const HEALTHY_DISK: DiskHealth = { slownessMs: 0, isFull: false }
/** Most agents store a pack every few seconds. */
const LATE_MS = LEASE_MS / 2

export class Fleet {
  readonly bugs: Violation[] = []
  /**
   * What befell the machines, and how often: faults, the deaths that came of them, revivals after more than a
   * lease.
   */
  readonly struck = new Map<string, number>()
  readonly #parts: FleetParts
  readonly #processes: Process[] = []
  #nextFault = 0
  /** Machines that will be started again. */
  #expected = 0
  #started = 0
  readonly #candidates = new Set<string>()
  readonly #ledgerChanges: OverlappingChanges<LedgerConditions>

  constructor(parts: FleetParts) {
    this.#parts = parts
    this.#ledgerChanges = new OverlappingChanges(parts.ledgerConditions, GOOD_CONDITIONS)
  }

  /** Nobody is at work any more, and nobody will be. */
  get isQuiet(): boolean {
    return this.#expected === 0 && this.#processes.every(({ isOver, machine }) => isOver || machine.isDead)
  }

  /** Names of those who are at work. */
  get busy(): string[] {
    return this.#processes
      .filter(({ isOver, machine }) => !isOver && !machine.isDead)
      .map(({ machine }) => machine.name)
  }

  start(name = `agent-${this.#processes.length + 1}`): void {
    const machine = new Machine(name, this.#parts.time)
    const health: DiskHealth = { ...HEALTHY_DISK }
    const process: Process = {
      machine,
      machineChanges: new OverlappingChanges(machine, WELL_MACHINE),
      health,
      diskChanges: new OverlappingChanges(health, HEALTHY_DISK),
      incarnation: 0,
      diesAfterStore: null,
      isOver: false,
    }
    this.#processes.push(process)
    void this.#live(process).then(
      end => this.#ended(process, end),
      error => this.#failed(process, error as Error),
    )
  }

  /** Called for every request: faults come by progress, so that they meet the middle of any crawl. */
  progressed(): void {
    const { faults, servers, expectedRequests, time } = this.#parts
    while (this.#nextFault < faults.length) {
      const fault = faults[this.#nextFault]
      if (servers.requests < fault.after * expectedRequests) return
      this.#nextFault++
      time.after(0, () => this.#strike(fault))
    }
  }

  async #live(process: Process): Promise<string> {
    const { machine } = process
    const { seed, scratch } = this.#parts
    const space = new FrontierSpace({
      folder: path.join(scratch, String(++this.#started)),
      seenBytes: SEEN_BYTES,
      queueBytes: QUEUE_BYTES,
      salt: seed,
    })
    machine.onDeath(() => space.close())
    return runIncarnation({
      ...this.#parts,
      machine,
      health: process.health,
      space,
      coordinates: this.#coordinates(machine.name),
      onJoined: incarnation => {
        process.incarnation = incarnation
      },
      onRequest: () => this.progressed(),
      onStored: () => process.diesAfterStore?.(),
    })
  }

  /** A few are enough: who has the seat acts, and the others only ask for it. */
  #coordinates(name: string): boolean {
    if (this.#candidates.size < COORDINATORS) this.#candidates.add(name)
    return this.#candidates.has(name)
  }

  #strike(fault: Fault): void {
    const { history, time } = this.#parts
    const { kind, forMs } = fault
    const process = this.#victim(fault.agent)
    history.add('fault', kind, process?.machine.name ?? '', forMs)
    this.#count(kind)
    const blow = (changed: Partial<LedgerConditions>) => time.after(forMs, this.#ledgerChanges.begin(changed))
    if (kind === 'join') this.start()
    else if (kind === 'ledger-outage') blow({ isLedgerAway: true })
    else if (kind === 'slow-ledger') blow({ latencyMs: 200 })
    else if (kind === 'lost-answers') blow({ lostAnswers: 0.5 })
    else if (process) this.#strikeOne(process, fault)
  }

  #strikeOne(process: Process, fault: Fault): void {
    const { time } = this.#parts
    const { machine, machineChanges, diskChanges } = process
    switch (fault.kind) {
      case 'kill':
        this.#kill(process, fault)
        break
      case 'kill-after-store':
        this.#killAfterStore(process, fault)
        break
      case 'zombie':
      case 'pause':
        machine.freeze()
        time.after(fault.forMs, () => {
          if (machine.isFrozen && fault.forMs > LEASE_MS) this.#count('revival')
          machine.revive()
        })
        break
      case 'clock-jump':
        machine.skewMs += fault.byMs
        break
      case 'partition':
        time.after(fault.forMs, machineChanges.begin({ isCutOff: true }))
        break
      case 'slow-agent':
        time.after(fault.forMs, machineChanges.begin({ slownessMs: 50 }))
        break
      case 'slow-disk':
        time.after(fault.forMs, diskChanges.begin({ slownessMs: 1_500 }))
        break
      case 'full-disk':
        time.after(fault.forMs, diskChanges.begin({ isFull: true }))
        break
    }
  }

  /**
   * Who stores nothing for long dies all the same; where it is gone already, or stands still, another does.
   */
  #killAfterStore(process: Process, fault: Fault): void {
    const { time } = this.#parts
    let isDone = false
    const kill = (victim: Process) => {
      isDone = true
      process.diesAfterStore = null
      this.#kill(victim, fault)
    }
    const late = () => {
      if (isDone) return
      const { isDead, isFrozen } = process.machine
      const victim = isDead || isFrozen || process.isOver ? this.#victim(fault.agent) : process
      if (victim) kill(victim)
      else if (isFrozen) time.after(LATE_MS, late)
    }
    process.diesAfterStore = () => kill(process)
    time.after(LATE_MS, late)
  }

  #kill(process: Process, { isSeen, forMs }: Fault): void {
    const { disk, recovery, time, history } = this.#parts
    const { machine, incarnation } = process
    if (machine.isDead || process.isOver) return
    process.diesAfterStore = null
    history.add('fault', 'dies', machine.name, incarnation)
    this.#count('death')
    machine.kill()
    disk.crash(incarnation)
    if (isSeen && incarnation > 0) time.after(SEEN_MS, () => void recovery.close(incarnation))
    this.#startAgain(machine.name, forMs)
  }

  #startAgain(name: string, delayMs: number): void {
    this.#expected++
    this.#parts.time.after(delayMs, () => {
      this.#expected--
      if (!this.#parts.checker.isClosed) this.start(name)
    })
  }

  #ended(process: Process, end: string): void {
    process.isOver = true
    this.#parts.history.add('ends', process.machine.name, end)
  }

  /** An agent that was fenced off gives up and is started again, as a supervisor would. */
  #failed(process: Process, error: Error): void {
    const { history, recovery } = this.#parts
    process.isOver = true
    const { machine, incarnation } = process
    history.add('fault', 'fails', machine.name, error.message)
    this.#count('fenced off')
    if (error.constructor.name !== 'FencedError') {
      const what = `${machine.name} failed: ${error.stack ?? error.message}`
      this.bugs.push({ promise: 'bug', what, about: [machine.name] })
    }
    machine.kill()
    if (incarnation > 0) void recovery.close(incarnation)
    this.#startAgain(machine.name, RESTART_MS)
  }

  #count(what: string): void {
    this.struck.set(what, (this.struck.get(what) ?? 0) + 1)
  }

  #victim(number: number): Process | undefined {
    const alive = this.#processes.filter(
      ({ machine, isOver }) => !machine.isDead && !isOver && !machine.isFrozen,
    )
    return alive[number % alive.length]
  }
}
