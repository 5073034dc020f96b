/** The machines of a simulated crawl and what befalls them: started, killed, frozen, revived, cut off, started again. */
import path from 'node:path'
import { assembleAgent } from '../agent/index.js'
import { chooseAssignment } from '../assign/index.js'
import type { Incarnation, Ledger } from '../cluster/index.js'
import { LedgerClock } from '../cluster/ledger-clock.js'
import { patientLedger } from '../cluster/patient-ledger.js'
import type { CrawlConfig } from '../config/index.js'
import { Coordinator } from '../coordinator/index.js'
import { FrontierSpace, HostNames, Scope } from '../frontier/index.js'
import type { Random } from '../model/random.js'
import { SeededRandom } from '../model/random.js'
import { PackBuilder } from '../store/index.js'
import type { Checker, Violation } from './checker.js'
import type { Disk } from './disk.js'
import type { Fault } from './faults.js'
import type { FlakyBus } from './flaky-bus.js'
import { FAIR_WEATHER, flakyLedger, type LedgerWitness, type Weather } from './flaky-ledger.js'
import type { History } from './history.js'
import type { Janitor } from './janitor.js'
import { Machine } from './machine.js'
import { mutantLedger } from './mutant-ledger.js'
import type { Mutation } from './mutations.js'
import { type Servers, VirtualFetcher } from './virtual-fetcher.js'
import { type DiskHealth, VirtualStore } from './virtual-store.js'
import type { VirtualTime } from './virtual-time.js'

export interface ParkParts {
  readonly time: VirtualTime
  readonly random: Random
  readonly seed: number
  readonly mutation: Mutation | undefined
  readonly weather: Weather
  readonly bus: FlakyBus
  readonly janitor: Janitor
  readonly config: CrawlConfig
  readonly ledger: Ledger
  readonly disk: Disk
  readonly servers: Servers
  readonly checker: Checker
  readonly witness: LedgerWitness
  readonly history: History
  readonly scratch: string
  readonly faults: readonly Fault[]
  readonly expectedRequests: number
}

/** An agent process: its machine, its life once it has joined, its disk. */
interface Process {
  readonly machine: Machine
  readonly health: DiskHealth
  incarnation: Incarnation
  /** Dies when its next pack is stored. */
  diesAfterStore: (() => void) | null
  isOver: boolean
}

const LEASE_MS = 30_000
const BEAT_MS = 1_000
const SEEN_BYTES = 256 * 1024
const QUEUE_BYTES = 256 * 1024
const RESTART_MS = 5_000

export class Park {
  readonly bugs: Violation[] = []
  readonly #parts: ParkParts
  readonly #processes: Process[] = []
  #nextFault = 0
  /** Machines that will be started again. */
  #expected = 0
  #started = 0

  constructor(parts: ParkParts) {
    this.#parts = parts
  }

  /** Nobody is at work any more, and nobody will be. */
  get isQuiet(): boolean {
    return this.#expected === 0 && this.#processes.every(({ isOver, machine }) => isOver || machine.isDead)
  }

  start(name = `agent-${this.#processes.length + 1}`): void {
    const process: Process = {
      machine: new Machine(name, this.#parts.time),
      health: { slownessMs: 0, isFull: false },
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
    const { config, random, seed, scratch } = this.#parts
    const clock = new LedgerClock(machine.clock)
    const ledger = clock.setBy(this.#ledgerOf(process))
    const incarnation = await ledger.join(machine.name, config.lanes)
    process.incarnation = incarnation
    await ledger.heartbeat(incarnation, LEASE_MS, '{}')
    const space = new FrontierSpace({
      folder: path.join(scratch, String(++this.#started)),
      seenBytes: SEEN_BYTES,
      queueBytes: QUEUE_BYTES,
      salt: seed,
    })
    machine.onDeath(() => space.close())
    const store = this.#storeOf(process)
    const stopping = new AbortController()
    const coordinator = new Coordinator({
      clock,
      ledger,
      bus: this.#parts.bus.join(machine, incarnation, 'coordinator'),
      incarnation,
      assignment: chooseAssignment(config.assign, new SeededRandom(seed)),
      leaseMs: LEASE_MS,
      beatMs: BEAT_MS,
      leastDelayMs: () => Number(config.delay),
      ordersBySize: true,
      signal: stopping.signal,
      onClosed: () => {},
    })
    const { agent } = assembleAgent({
      name: machine.name,
      incarnation,
      config,
      clock,
      random: new SeededRandom(Math.floor(random.next() * 2 ** 32)),
      ledger,
      bus: this.#parts.bus.join(machine, incarnation, 'agent'),
      fetcher: new VirtualFetcher(machine, this.#parts.servers, {
        requested: (asking, url) => {
          this.progressed()
          return this.#parts.checker.requested(asking, url)
        },
        answered: request => this.#parts.checker.answered(request),
      }),
      store,
      newBuilder: () =>
        new PackBuilder({ agent: machine.name, records: null, tables: true, startBytes: 4_096 }),
      archives: false,
      space,
      scope: new Scope({ seeds: config.seeds, kind: 'any', include: [], exclude: [] }),
      hooks: {},
      hosts: new HostNames(),
      recrawl: false,
      log: () => {},
      onScopeWidened: () => {},
      onDiskTrouble: () => {},
      waitingFor: () => '',
      onHeartbeat: () => {},
    })
    const coordinating = coordinator.run()
    const end = await agent.run().finally(() => stopping.abort())
    await coordinating
    await store.close()
    space.close()
    return end
  }

  #ledgerOf({ machine }: Process): Ledger {
    const { ledger, time, random, weather, witness, mutation } = this.#parts
    const far = flakyLedger({ ledger, machine, time, random, weather, witness })
    return patientLedger(mutantLedger(far, machine.clock, mutation), machine.clock)
  }

  #storeOf(process: Process): VirtualStore {
    const { disk, checker, mutation } = this.#parts
    const { machine, health, incarnation } = process
    return new VirtualStore({
      disk,
      machine,
      incarnation,
      health,
      ledgerFirst: mutation === 'ledger-first',
      onStored: (id, rows) => {
        checker.stored(id, rows)
        process.diesAfterStore?.()
      },
    })
  }

  #strike(fault: Fault): void {
    const { history, time, weather } = this.#parts
    const { kind, forMs } = fault
    const process = this.#victim(fault.agent)
    history.add('fault', kind, process?.machine.name ?? '', forMs)
    const lasts = (begin: () => void, end: () => void) => {
      begin()
      time.after(forMs, end)
    }
    const blow = (changed: Partial<Weather>) =>
      lasts(
        () => Object.assign(weather, changed),
        () => Object.assign(weather, FAIR_WEATHER),
      )
    if (kind === 'join') this.start()
    else if (kind === 'ledger-outage') blow({ isLedgerAway: true })
    else if (kind === 'slow-ledger') blow({ latencyMs: 200 })
    else if (kind === 'lost-answers') blow({ lostAnswers: 0.5 })
    else if (process) this.#strikeOne(process, fault, lasts)
  }

  #strikeOne(process: Process, fault: Fault, lasts: (begin: () => void, end: () => void) => void): void {
    const { machine, health } = process
    const change = <T extends object>(what: T, to: Partial<T>, back: Partial<T>) =>
      lasts(
        () => Object.assign(what, to),
        () => Object.assign(what, back),
      )
    switch (fault.kind) {
      case 'kill':
        this.#kill(process, fault)
        break
      case 'kill-after-store':
        process.diesAfterStore = () => this.#kill(process, fault)
        break
      case 'zombie':
      case 'pause':
        lasts(
          () => machine.freeze(),
          () => machine.revive(),
        )
        break
      case 'clock-jump':
        machine.skewMs += fault.byMs
        break
      case 'partition':
        change(machine, { isCutOff: true }, { isCutOff: false })
        break
      case 'slow-agent':
        change(machine, { slownessMs: 50 }, { slownessMs: 0 })
        break
      case 'slow-disk':
        change(health, { slownessMs: 1_500 }, { slownessMs: 0 })
        break
      case 'full-disk':
        change(health, { isFull: true }, { isFull: false })
        break
    }
  }

  #kill(process: Process, { isSeen, forMs }: Fault): void {
    const { disk, janitor, time, history } = this.#parts
    const { machine, incarnation } = process
    if (machine.isDead || process.isOver) return
    process.diesAfterStore = null
    history.add('fault', 'dies', machine.name, incarnation)
    machine.kill()
    disk.crash(incarnation)
    if (isSeen && incarnation > 0) time.after(RESTART_MS / 5, () => void janitor.close(incarnation))
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
    const { history, janitor } = this.#parts
    process.isOver = true
    const { machine, incarnation } = process
    history.add('fault', 'fails', machine.name, error.message)
    if (error.constructor.name !== 'FencedError') {
      const what = `${machine.name} failed: ${error.stack ?? error.message}`
      this.bugs.push({ promise: 'bug', what, about: [machine.name] })
    }
    machine.kill()
    if (incarnation > 0) void janitor.close(incarnation)
    this.#startAgain(machine.name, RESTART_MS)
  }

  #victim(number: number): Process | undefined {
    const alive = this.#processes.filter(
      ({ machine, isOver }) => !machine.isDead && !isOver && !machine.isFrozen,
    )
    return alive[number % alive.length]
  }
}
