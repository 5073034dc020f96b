/** One incarnation of a simulated agent: the real agent and coordinator on ports that fail. */

import { type AgentInput, assembleAgent } from '../../cluster/agent/index.js'
import { Coordinator } from '../../cluster/coordinator/index.js'
import { type CrawlConfig, isLearned } from '../../config/index.js'
import { PackBuilder } from '../../data/store/index.js'
import { type Incarnation, type Ledger, LedgerClock, retryingLedger } from '../../ledger/index.js'
import { fingerprint, takeFingerprint } from '../../model/bytes/index.js'
import { type Clock, LIMITS, type Random, SeededRandom, Stop, type StopSignal } from '../../model/index.js'
import type { FrontierSpace } from '../../page/frontier/index.js'
import { Scope } from '../../page/frontier/scope/index.js'
import { HostNames } from '../../page/frontier/traps/index.js'
import type { PhasePlan } from '../../page/politeness/phases/index.js'
import type { Checker } from '../check/index.js'
import { believedLeaseMs, LEASE_MS, type Mutation, mutantLedger, phaseMistake } from '../faults/index.js'
import { FEW_LINK_BYTES, PACK_BYTES, RUN_INCARNATION_BEAT_MS } from '../limits.js'
import type { Machine, VirtualTime } from '../machines/index.js'
import type { Disk, FlakyBus } from '../ports/index.js'
import {
  type DiskHealth,
  flakyLedger,
  type LedgerConditions,
  type LedgerWitness,
  type Servers,
  VirtualFetcher,
  VirtualStore,
  type Witness,
} from '../ports/index.js'
import type { IncarnationRecovery } from './incarnation-recovery.js'
import { type SharedRouting, simulatedAssignment } from './simulated-assignment.js'

/** The parts that all incarnations share. */
export interface SharedParts {
  readonly time: VirtualTime
  readonly random: Random
  readonly seed: number
  readonly mutation: Mutation | undefined
  readonly ledgerConditions: LedgerConditions
  readonly bus: FlakyBus
  readonly recovery: IncarnationRecovery
  readonly config: CrawlConfig
  /** Null unless the crawl runs in phases. */
  readonly plan: PhasePlan | null
  readonly ledger: Ledger
  readonly disk: Disk
  readonly servers: Servers
  readonly checker: Checker
  readonly witness: LedgerWitness
  /** The routing table in the store. */
  readonly routing: SharedRouting
}

export interface IncarnationParts extends SharedParts {
  readonly machine: Machine
  readonly health: DiskHealth
  readonly space: FrontierSpace
  /** Whether the incarnation requests the coordinator's seat. */
  readonly coordinates: boolean
  readonly onJoined: (incarnation: Incarnation) => void
  readonly onRequest: () => void
  readonly onStored: () => void
}

const NOTHING = () => {}

/** Resolves when the agent ends by itself, with its reason; never when its machine is killed. */
export async function runIncarnation(parts: IncarnationParts): Promise<string> {
  const { machine, config, space } = parts
  const clock = new LedgerClock(machine.clock)
  const ledger = clock.setBy(ledgerOf(parts))
  const incarnation = await ledger.join(machine.name, config.lanes)
  parts.onJoined(incarnation)
  await ledger.heartbeat(incarnation, LEASE_MS, '{}')
  const store = storeOf(parts, incarnation)
  const stopping = new Stop()
  const coordinating = parts.coordinates
    ? coordinate(parts, ledger, clock, incarnation, stopping.signal)
    : null
  const { agent } = assembleAgent({
    name: machine.name,
    incarnation,
    config,
    clock,
    leaseMs: believedLeaseMs(parts.mutation),
    random: new SeededRandom(Math.floor(parts.random.next() * 2 ** 32)),
    ledger,
    phases: phasesOf(parts),
    loadRoutes: isLearned(config.assign) ? async () => parts.routing.table : null,
    bus: parts.bus.join(machine, incarnation, 'agent'),
    fetcher: fetcherOf(parts),
    store,
    newBuilder: () =>
      new PackBuilder({ agent: machine.name, records: null, tables: true, startBytes: PACK_BYTES }),
    linkBytes: linkBytesOf(parts),
    archives: false,
    space,
    scope: new Scope({ seeds: config.seeds, kind: 'any', include: [], exclude: [] }),
    guest: null,
    readPage: null,
    hosts: new HostNames(),
    recrawl: false,
    log: NOTHING,
    onScopeWidened: NOTHING,
    onDiskTrouble: NOTHING,
    waitingFor: () => '',
    onHeartbeat: NOTHING,
  })
  const end = await agent.run().finally(() => stopping.abort())
  await coordinating
  await store.close()
  space.close()
  return end
}

/**
 * In a quarter of the runs, links are committed in small batches before their pack; not for mutants of the
 * pack.
 */
function linkBytesOf({ seed, mutation }: IncarnationParts): number {
  return mutation === undefined && seed % 4 === 3 ? FEW_LINK_BYTES : LIMITS.linkBytes
}

/** Half of the phase clocks are wrong by the whole guard, ahead or behind, and the others by less. */
function phasesOf({
  plan,
  machine,
  mutation,
  seed,
}: IncarnationParts): NonNullable<AgentInput['phases']> | null {
  if (plan === null) return null
  takeFingerprint(`${machine.name} ${seed}`)
  const drawn = 2 * (2 * (fingerprint.low / 2 ** 32) - 1)
  const skewMs = plan.guardMs * Math.max(-1, Math.min(1, drawn))
  return { plan, wall: () => machine.clock.now(), skewMs, mistake: phaseMistake(mutation) }
}

function coordinate(
  parts: IncarnationParts,
  ledger: Ledger,
  clock: Clock,
  incarnation: Incarnation,
  signal: StopSignal,
): Promise<unknown> {
  const { config, machine, recovery } = parts
  const bus = parts.bus.join(machine, incarnation, 'coordinator')
  const { assignment, repartitioner } = simulatedAssignment(parts, { ledger, clock, bus })
  const coordinator = new Coordinator({
    clock,
    ledger,
    bus,
    incarnation,
    assignment,
    repartitioner,
    leaseMs: LEASE_MS,
    beatMs: RUN_INCARNATION_BEAT_MS,
    leastDelayMs: () => Number(config.delay),
    slices: config.slices === 'on',
    expectedAgents: config.agents,
    ordersBySize: true,
    signal,
    onClosed: incarnations => {
      for (const incarnation of incarnations) void recovery.recover(incarnation)
    },
  })
  return coordinator.run()
}

function ledgerOf({
  ledger,
  machine,
  time,
  random,
  ledgerConditions,
  witness,
  mutation,
}: IncarnationParts): Ledger {
  const remote = flakyLedger({ ledger, machine, time, random, ledgerConditions, witness })
  return retryingLedger(mutantLedger(remote, machine.clock, mutation), machine.clock)
}

function storeOf(parts: IncarnationParts, incarnation: Incarnation): VirtualStore {
  const { disk, checker, mutation, machine, health, onStored } = parts
  return new VirtualStore({
    disk,
    machine,
    incarnation,
    health,
    ledgerFirst: mutation === 'ledger-first',
    onStored: (id, rows) => {
      checker.stored(id, rows)
      onStored()
    },
  })
}

function fetcherOf({ machine, servers, checker, onRequest, plan }: IncarnationParts): VirtualFetcher {
  const witness: Witness = {
    requested: (asking, url) => {
      onRequest()
      return checker.requested(asking, url)
    },
    answered: request => checker.answered(request),
  }
  return new VirtualFetcher(machine, servers, witness, plan !== null)
}
