/**
 * Several agents, each in a thread of its own. One that dies is noticed: its incarnation is closed, its cells
 * go to the head of the queue, its files are cut to what was committed, and a new agent starts in its place.
 */

import { join } from 'node:path'
import { MessageChannel, MessagePort, type Worker } from 'node:worker_threads'
import { type BusMessage, type LocalBus, relayBus } from '../bus/index.js'
import type { AgentEnd } from '../cluster/agent/index.js'
import type { CrawledPage } from '../cluster/agent/lane/index.js'
import type { CrawlConfig } from '../config/index.js'
import { type Incarnation, type Ledger, LedgerError } from '../ledger/index.js'
import type { Millis } from '../model/index.js'
import type { AgentProgress } from '../report/index.js'
import { AgentRestartLimitError, agentNames, receivedPage } from '../runtime/index.js'
import type { AgentOrder } from './agent-host.js'
import type { AgentThreadData, FromAgent, ToAgent } from './agent-messages.js'
import type { AgentPool } from './agent-pool.js'
import type { FaultMailbox, InjectedFault } from './faults.js'
import { type FaultReport, untilOthersWork } from './faulty-ledger.js'
import { checkPairNow } from './generation.js'
import type { LedgerHost } from './ledger-host.js'
import type { Log } from './log.js'
import { recoverIncarnation } from './recovery.js'
import type { PageReader } from './run-options.js'
import { systemClock as clock } from './system-clock.js'
import { startThread } from './thread.js'

/** Deaths in a row, each soon after its birth, after which it is not bad luck. */
const MOST_DEATHS = 5
const SOON_MS = 10_000
/**
 * For fault tests, in leases: after two the incarnation of the frozen would be closed, and all it knows void.
 */
const LONGEST_FREEZE = 1.8
/** The young generation of an agent's thread, as large as a crawl by one agent has it. */
const YOUNG_MB = 8

export interface ThreadAgentPoolParts {
  /** The store; null when this machine does not see it. */
  readonly directory: string | null
  /** Of the crawl, for who sends its packs to the coordinator. */
  readonly token?: string
  readonly crawl: string
  readonly config: CrawlConfig
  readonly agents: number
  /** Of the agents; agent-1 and so on unless said otherwise. */
  readonly names?: readonly string[]
  /** Where they keep their queues and seen-sets. */
  readonly scratch: string
  readonly ledger: Ledger
  readonly ledgerHost: LedgerHost
  readonly bus: LocalBus
  readonly leaseMs: Millis
  /** For fault tests: agents are not told of new rows. */
  readonly dropsNotices: boolean
  /** For fault tests: what waits for an agent. */
  readonly injectedFaults: FaultMailbox | null
  readonly log: Log
  readonly onDiskTrouble: (detail: string | null) => void
  /** Takes the pages of all agents; null where nobody does. */
  readonly reader: PageReader | null
}

interface Member {
  readonly agent: string
  readonly incarnation: Incarnation
  readonly thread: Worker
  readonly bornAt: Millis
  progress: AgentProgress | null
  /** The ledger has ended its incarnation: no fault of its own. */
  isFenced: boolean
  readonly hangUp: () => void
}

function isOfRows({ kind }: BusMessage): boolean {
  return kind === 'inbox' || kind === 'yours'
}

export class ThreadAgentPool implements AgentPool {
  readonly #parts: ThreadAgentPoolParts
  readonly #members = new Map<string, Member>()
  readonly #ended: AgentEnd[] = []
  /**
   * What agents that have ended told last. What one that died has done is in the ledger, as far as it lasts.
   */
  readonly #past: AgentProgress[] = []
  #settle: { resolve(end: AgentEnd): void; reject(reason: Error): void } | null = null
  #isStopping = false
  /** Nobody is started any more: a thread would keep the process for ever. */
  #isOver = false
  #diskTrouble = ''
  #deaths = 0

  constructor(parts: ThreadAgentPoolParts) {
    this.#parts = parts
  }

  async run(): Promise<AgentEnd> {
    const over = new Promise<AgentEnd>((resolve, reject) => {
      this.#settle = { resolve, reject }
    })
    over.catch(() => {})
    await Promise.all(this.#names.map(name => this.#start(name)))
    try {
      return await over
    } finally {
      this.#isOver = true
      await Promise.all([...this.#members.values()].map(({ thread }) => thread.terminate()))
      this.#members.clear()
    }
  }

  get #names(): readonly string[] {
    const { agents, names } = this.#parts
    return names ?? agentNames(agents)
  }

  stop(): void {
    this.#isStopping = true
    this.#tellAll({ kind: 'stop' })
  }

  setDiskTrouble(detail: string): void {
    if (detail === this.#diskTrouble) return
    this.#diskTrouble = detail
    this.#tellAll({ kind: 'disk', trouble: detail })
  }

  progress(): readonly AgentProgress[] {
    const present = [...this.#members.values()].flatMap(({ progress }) => (progress ? [progress] : []))
    return [...present, ...this.#past]
  }

  isAlive(incarnation: Incarnation): boolean {
    return [...this.#members.values()].some(member => member.incarnation === incarnation)
  }

  /** For fault tests: injects the fault into the first agent that reaches its place. */
  inject(how: InjectedFault): void {
    this.#parts.injectedFaults?.post(how)
  }

  async #start(agent: string): Promise<void> {
    const { config, directory, token, crawl, agents, ledger, ledgerHost, bus, leaseMs, dropsNotices } =
      this.#parts
    const { injectedFaults, reader } = this.#parts
    const incarnation = await ledger.join(agent, config.lanes)
    if (this.#isOver) return ledger.leave(incarnation)
    const order: AgentOrder = {
      directory,
      crawl,
      config,
      agent,
      incarnation,
      agents,
      sourceAddress:
        config.sourceAddress[this.#names.indexOf(agent) % Math.max(1, config.sourceAddress.length)],
      leaseMs,
      diskTrouble: this.#diskTrouble,
      scratch: join(this.#parts.scratch, String(incarnation)),
      ...(token !== undefined && { token }),
    }
    const wires = new MessageChannel()
    const data: AgentThreadData = {
      order,
      ledger: ledgerHost.connect(),
      bus: wires.port2,
      injectedFaults: injectedFaults?.memory ?? null,
      pagesWanted: reader?.wanted ?? null,
    }
    const hands = data.ledger instanceof MessagePort ? [data.ledger, data.bus] : [data.bus]
    const thread = startThread('agent-thread', data, { youngMb: YOUNG_MB, hands })
    const member: Member = {
      agent,
      incarnation,
      thread,
      bornAt: clock.monotonic(),
      progress: null,
      isFenced: false,
      hangUp: relayBus(bus, wires.port1, message => dropsNotices && isOfRows(message), incarnation),
    }
    this.#members.set(agent, member)
    thread.on('message', (message: FromAgent) => this.#hear(member, message))
    // What the thread could not catch itself; it ends right after.
    thread.on('error', error => this.#parts.log.warn('agent failed', { agent, error: String(error) }))
    thread.on('exit', () => void this.#gone(member).catch(error => this.#settle?.reject(error as Error)))
    if (this.#isStopping) thread.postMessage({ kind: 'stop' } satisfies ToAgent)
  }

  #hear(member: Member, message: FromAgent): void {
    switch (message.kind) {
      case 'progress':
        member.progress = message.progress
        return
      case 'disk':
        this.#parts.onDiskTrouble(message.detail)
        return
      case 'page':
        void this.#show(member, receivedPage(message.page))
        return
      case 'fault':
        void this.#reportFault(member, message.what)
        return
      case 'ended':
        this.#leave(member)
        this.#past.push({
          ...message.progress,
          queued: 0,
          sites: 0,
          activeSites: 0,
          inFlight: 0,
          waiting: '',
        })
        this.#ended.push(message.end)
        if (this.#ended.length === this.#parts.agents) this.#settle?.resolve(message.end)
        return
      case 'failed':
        member.isFenced = message.isFenced
        this.#parts.log.warn('agent failed', { agent: member.agent, error: message.stack })
        // The ledger itself is broken: no new agent would do better.
        if (message.ledger !== null) this.#settle?.reject(new LedgerError(message.ledger, message.message))
    }
  }

  async #show({ thread }: Member, page: CrawledPage): Promise<void> {
    await this.#parts.reader?.push(page)
    thread.postMessage({ kind: 'page-taken' } satisfies ToAgent)
  }

  /** For fault tests: an agent that stands still is ended, or resumed at the worst moment. */
  async #reportFault({ agent, thread }: Member, what: FaultReport): Promise<void> {
    const { log, ledger, leaseMs, injectedFaults } = this.#parts
    log.warn('fault', { agent, ...what })
    if (what.how === 'kill') void thread.terminate()
    if (what.how !== 'freeze') return
    await untilOthersWork(ledger, what.cells, LONGEST_FREEZE * leaseMs)
    injectedFaults?.thaw()
  }

  /** The thread has ended without its last message. */
  async #gone(member: Member): Promise<void> {
    if (this.#members.get(member.agent) !== member) return
    const { ledger, log, directory, crawl, config } = this.#parts
    const { agent, incarnation } = member
    this.#leave(member)
    await ledger.leave(incarnation)
    if (directory !== null) await checkPairNow(directory, ledger, config)
    // Files elsewhere are the coordinator's to recover.
    const recovered = directory && (await recoverIncarnation(directory, crawl, ledger, incarnation, 'gone'))
    const what = member.isFenced ? 'the ledger has ended the incarnation of an agent' : 'an agent died'
    log.warn(`${what}; a new one takes its place`, { agent, incarnation, ...recovered })
    const isSoon = clock.monotonic() - member.bornAt < SOON_MS
    // Databases may fail over as often as they like.
    if (!member.isFenced) this.#deaths = isSoon ? this.#deaths + 1 : 1
    if (this.#deaths > MOST_DEATHS * this.#parts.agents)
      throw new AgentRestartLimitError(
        `${agent} failed ${this.#deaths} times right after its start; see crawl.log; nothing stored is lost`,
      )
    if (!this.#isOver) await this.#start(agent)
  }

  #leave(member: Member): void {
    this.#members.delete(member.agent)
    member.hangUp()
  }

  #tellAll(message: ToAgent): void {
    for (const { thread } of this.#members.values()) thread.postMessage(message)
  }
}
