/**
 * Several agents, each in a thread of its own. When one dies, its incarnation is closed, its cells go to the
 * head of the queue, its files are cut to what was committed, and a new agent starts in its place.
 */

import { join } from 'node:path'
import { MessageChannel, MessagePort, type Worker } from 'node:worker_threads'
import { relayBus } from '../../bus/index.js'
import type { AgentEnd } from '../../cluster/agent/index.js'
import type { CrawledPage } from '../../cluster/agent/lane/index.js'
import { type Incarnation, LedgerError } from '../../ledger/index.js'
import type { Millis } from '../../model/index.js'
import type { AgentProgress } from '../../report/index.js'
import { AgentRestartLimitError, checkPairNow, indexFolder } from '../directory/index.js'
import { THREAD_AGENT_POOL_SOON_MS } from '../limits.js'
import type { AgentOrder } from '../platform/index.js'
import { recoverIncarnation } from '../recovery/index.js'
import { receivedPage } from '../threads/index.js'
import type { AgentThreadData, FromAgent, ToAgent } from './agent-messages.js'
import type { AgentPool, AgentPoolParts } from './agent-pool.js'

/** Deaths in a row, each soon after the start, after which starting again is given up. */
const MOST_DEATHS = 5
/** The young generation of an agent's thread, as large as in a crawl with one agent. */
const YOUNG_MB = 8

interface Member {
  readonly agent: string
  readonly incarnation: Incarnation
  readonly thread: Worker
  readonly startedAt: Millis
  progress: AgentProgress | null
  /** The ledger has ended its incarnation, so its end is not counted as a death. */
  isFenced: boolean
  readonly leaveBus: () => void
}

export class ThreadAgentPool implements AgentPool {
  readonly #parts: AgentPoolParts
  readonly #members = new Map<string, Member>()
  readonly #ended: AgentEnd[] = []
  /** The last progress of agents that have ended. Of an agent that died, the ledger has what it committed. */
  readonly #past: AgentProgress[] = []
  #settle: { resolve(end: AgentEnd): void; reject(reason: Error): void } | null = null
  #isStopping = false
  /** No agent is started any more: its thread would keep the process alive. */
  #isOver = false
  #diskTrouble = ''
  #deaths = 0

  constructor(parts: AgentPoolParts) {
    this.#parts = parts
  }

  async run(): Promise<AgentEnd> {
    const over = new Promise<AgentEnd>((resolve, reject) => {
      this.#settle = { resolve, reject }
    })
    over.catch(() => {})
    await Promise.all(this.#parts.names.map(name => this.#start(name)))
    try {
      return await over
    } finally {
      this.#isOver = true
      await Promise.all([...this.#members.values()].map(({ thread }) => thread.terminate()))
      this.#members.clear()
    }
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

  async #start(agent: string): Promise<void> {
    const { platform, config, host, bus, reader, log } = this.#parts
    const incarnation = await host.ledger.join(agent, config.lanes)
    if (this.#isOver) return host.ledger.leave(incarnation)
    const wires = new MessageChannel()
    const data: AgentThreadData = {
      order: this.#orderFor(agent, incarnation),
      ledger: host.connect(),
      bus: wires.port2,
      pagesWanted: reader?.wanted ?? null,
    }
    const transfer = data.ledger instanceof MessagePort ? [data.ledger, data.bus] : [data.bus]
    const thread = platform.startThread('agent-thread', data, { youngMb: YOUNG_MB, transfer })
    const member: Member = {
      agent,
      incarnation,
      thread,
      startedAt: platform.clock.monotonic(),
      progress: null,
      isFenced: false,
      leaveBus: relayBus(bus, wires.port1, incarnation),
    }
    this.#members.set(agent, member)
    thread.on('message', (message: FromAgent) => this.#receive(member, message))
    // What the thread could not catch itself; it ends right after.
    thread.on('error', error => log.warn('agent failed', { agent, error: String(error) }))
    thread.on('exit', () => void this.#gone(member).catch(error => this.#settle?.reject(error as Error)))
    if (this.#isStopping) thread.postMessage({ kind: 'stop' } satisfies ToAgent)
  }

  #orderFor(agent: string, incarnation: Incarnation): AgentOrder {
    const { platform, directory, token, crawl, config, names, scratch } = this.#parts
    const { sourceAddress } = config
    return {
      directory,
      crawl,
      config,
      agent,
      incarnation,
      agents: names.length,
      sourceAddress: sourceAddress[names.indexOf(agent) % Math.max(1, sourceAddress.length)],
      leaseMs: platform.leaseMs,
      phaseSkewMs: platform.phaseSkewMs(agent),
      diskTrouble: this.#diskTrouble,
      scratch: join(scratch, String(incarnation)),
      indexes: indexFolder(directory, scratch),
      ...(token !== undefined && { token }),
    }
  }

  #receive(member: Member, message: FromAgent): void {
    switch (message.kind) {
      case 'progress':
        member.progress = message.progress
        return
      case 'disk':
        this.#parts.onDiskTrouble(message.detail)
        return
      case 'page':
        void this.#pass(member, receivedPage(message.page))
        return
      case 'ended': {
        this.#leave(member)
        const idle = { queued: 0, sites: 0, activeSites: 0, inFlight: 0, waiting: '' }
        this.#past.push({ ...message.progress, ...idle })
        this.#ended.push(message.end)
        if (this.#ended.length === this.#parts.names.length) this.#settle?.resolve(message.end)
        return
      }
      case 'failed':
        member.isFenced = message.isFenced
        this.#parts.log.warn('agent failed', { agent: member.agent, error: message.stack })
        // The ledger itself is broken: a new agent would fail the same way.
        if (message.ledger !== null) this.#settle?.reject(new LedgerError(message.ledger, message.message))
    }
  }

  async #pass({ thread }: Member, page: CrawledPage): Promise<void> {
    await this.#parts.reader?.push(page)
    thread.postMessage({ kind: 'page-taken' } satisfies ToAgent)
  }

  /**
   * Handles the end of a thread. A member whose thread ends without a last message has died and is replaced.
   */
  async #gone(member: Member): Promise<void> {
    if (this.#members.get(member.agent) !== member) return
    const { platform, host, log, directory, crawl, config, names } = this.#parts
    const { agent, incarnation, isFenced, startedAt } = member
    const { ledger } = host
    this.#leave(member)
    await ledger.leave(incarnation)
    if (directory !== null) await checkPairNow(directory, ledger, config)
    // Files that this machine does not see are recovered by the coordinator.
    const recovered = directory && (await recoverIncarnation(directory, crawl, ledger, incarnation, 'gone'))
    const what = isFenced ? 'the ledger has ended the incarnation of an agent' : 'an agent died'
    log.warn(`${what}; a new one takes its place`, { agent, incarnation, ...recovered })
    const isSoon = platform.clock.monotonic() - startedAt < THREAD_AGENT_POOL_SOON_MS
    // An incarnation that the ledger has ended is not a failure of the agent, for example after a database
    // failover.
    if (!isFenced) this.#deaths = isSoon ? this.#deaths + 1 : 1
    if (this.#deaths > MOST_DEATHS * names.length)
      throw new AgentRestartLimitError(
        `${agent} failed ${this.#deaths} times right after its start; see crawl.log; nothing stored is lost`,
      )
    if (!this.#isOver) await this.#start(agent)
  }

  #leave(member: Member): void {
    this.#members.delete(member.agent)
    member.leaveBus()
  }

  #tellAll(message: ToAgent): void {
    for (const { thread } of this.#members.values()) thread.postMessage(message)
  }
}
