/** The machines of a simulated crawl: started, killed, frozen, revived, cut off, and started again. */

import path from 'node:path'
import type { Incarnation } from '../../ledger/index.js'
import type { Millis } from '../../model/index.js'
import { FrontierSpace } from '../../page/frontier/index.js'
import type { History, Violation } from '../check/index.js'
import { type Fault, LEASE_MS, OverlappingChanges } from '../faults/index.js'
import { QUEUE_BYTES, RESTART_MS, SEEN_BYTES, SEEN_MS } from '../limits.js'
import { Machine } from '../machines/index.js'
import { type DiskHealth, GOOD_CONDITIONS, type LedgerConditions } from '../ports/index.js'
import { runIncarnation, type SharedParts } from './run-incarnation.js'

export interface FleetParts extends SharedParts {
  readonly history: History
  readonly scratch: string
  readonly faults: readonly Fault[]
  readonly expectedRequests: number
}

interface AgentProcess {
  readonly machine: Machine
  readonly machineChanges: OverlappingChanges<Machine>
  readonly health: DiskHealth
  readonly diskChanges: OverlappingChanges<DiskHealth>
  /** 0 before the agent has joined. */
  incarnation: Incarnation
  /** Set while the process is to be killed when its next pack is stored. */
  diesAfterStore: (() => void) | null
  isOver: boolean
}

const COORDINATORS = 2
const HEALTHY_MACHINE = { isCutOff: false, slownessMs: 0 }
const HEALTHY_DISK: DiskHealth = { slownessMs: 0, isFull: false }
/** An agent that stores no pack within this time is killed all the same; most store one every few seconds. */
const LATE_MS = LEASE_MS / 2

export class Fleet {
  readonly bugs: Violation[] = []
  /** Numbers of faults by kind, of deaths, of revivals after more than a lease, and of fenced-off agents. */
  readonly struck = new Map<string, number>()
  readonly #parts: FleetParts
  readonly #processes: AgentProcess[] = []
  #nextFault = 0
  /** Number of machines that will be started again. */
  #restarting = 0
  #started = 0
  readonly #candidates = new Set<string>()
  readonly #ledgerChanges: OverlappingChanges<LedgerConditions>

  constructor(parts: FleetParts) {
    this.#parts = parts
    this.#ledgerChanges = new OverlappingChanges(parts.ledgerConditions, GOOD_CONDITIONS)
  }

  /** No agent runs, and none will be started again. */
  get isQuiet(): boolean {
    return this.#restarting === 0 && this.#processes.every(({ isOver, machine }) => isOver || machine.isDead)
  }

  /** Names of the agents that run. */
  get busy(): string[] {
    return this.#processes
      .filter(({ isOver, machine }) => !isOver && !machine.isDead)
      .map(({ machine }) => machine.name)
  }

  start(name = `agent-${this.#processes.length + 1}`): void {
    const machine = new Machine(name, this.#parts.time)
    const health: DiskHealth = { ...HEALTHY_DISK }
    const process: AgentProcess = {
      machine,
      machineChanges: new OverlappingChanges(machine, HEALTHY_MACHINE),
      health,
      diskChanges: new OverlappingChanges(health, HEALTHY_DISK),
      incarnation: 0,
      diesAfterStore: null,
      isOver: false,
    }
    this.#processes.push(process)
    void this.#run(process).then(
      end => this.#ended(process, end),
      error => this.#failed(process, error as Error),
    )
  }

  /**
   * Called with each request: faults occur by progress, so that they hit the middle of a crawl of any length.
   */
  progressed(): void {
    const { faults, servers, expectedRequests, time } = this.#parts
    while (this.#nextFault < faults.length) {
      const fault = faults[this.#nextFault]
      if (servers.requests < fault.after * expectedRequests) return
      this.#nextFault++
      time.after(0, () => this.#strike(fault))
    }
  }

  async #run(process: AgentProcess): Promise<string> {
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

  /** Two candidates are enough: one has the coordinator's seat, the other requests it. */
  #coordinates(name: string): boolean {
    if (this.#candidates.size < COORDINATORS) this.#candidates.add(name)
    return this.#candidates.has(name)
  }

  #strike(fault: Fault): void {
    const { history, time } = this.#parts
    const process = this.#victim(fault.agent)
    history.add('fault', fault.kind, process?.machine.name ?? '', fault.forMs)
    this.#count(fault.kind)
    const end = this.#begin(fault, process)
    if (end !== null) time.after(fault.forMs, end)
  }

  /** Begins a fault. Returns the function that ends it, if it lasts. */
  #begin(fault: Fault, process: AgentProcess | undefined): (() => void) | null {
    switch (fault.kind) {
      case 'join':
        this.start()
        return null
      case 'ledger-outage':
        return this.#ledgerChanges.begin({ isLedgerAway: true })
      case 'slow-ledger':
        return this.#ledgerChanges.begin({ latencyMs: 200 })
      case 'lost-answers':
        return this.#ledgerChanges.begin({ lostAnswers: 0.5 })
    }
    if (process === undefined) return null
    const { machine, machineChanges, diskChanges } = process
    switch (fault.kind) {
      case 'kill':
        this.#kill(process, fault)
        return null
      case 'kill-after-store':
        this.#killAfterStore(process, fault)
        return null
      case 'zombie':
      case 'pause':
        machine.freeze()
        return () => this.#revive(machine, fault.forMs)
      case 'clock-jump':
        machine.skewMs += fault.byMs
        return null
      case 'partition':
        return machineChanges.begin({ isCutOff: true })
      case 'slow-agent':
        return machineChanges.begin({ slownessMs: 50 })
      case 'slow-disk':
        return diskChanges.begin({ slownessMs: 1_500 })
      case 'full-disk':
        return diskChanges.begin({ isFull: true })
    }
  }

  #revive(machine: Machine, frozenMs: Millis): void {
    if (machine.isFrozen && frozenMs > LEASE_MS) this.#count('revival')
    machine.revive()
  }

  /** If the process is dead or frozen when it should be killed, another one is killed. */
  #killAfterStore(process: AgentProcess, fault: Fault): void {
    const { time } = this.#parts
    let isDone = false
    const kill = (victim: AgentProcess) => {
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

  #kill(process: AgentProcess, { isSeen, forMs }: Fault): void {
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
    this.#restarting++
    this.#parts.time.after(delayMs, () => {
      this.#restarting--
      if (!this.#parts.checker.isClosed) this.start(name)
    })
  }

  #ended(process: AgentProcess, end: string): void {
    process.isOver = true
    this.#parts.history.add('ends', process.machine.name, end)
  }

  /** An agent that was fenced off ends with an error; as a supervisor would, the fleet starts it again. */
  #failed(process: AgentProcess, error: Error): void {
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

  #victim(number: number): AgentProcess | undefined {
    const alive = this.#processes.filter(
      ({ machine, isOver }) => !machine.isDead && !isOver && !machine.isFrozen,
    )
    return alive[number % alive.length]
  }
}
