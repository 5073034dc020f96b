/**
 * The fetcher of a simulated machine: requests pages of the virtual web, and tells the witness of each
 * request.
 */

import type { Exchange, Millis, StopSignal } from '../../model/index.js'
import { hostOf, siteOf } from '../../model/url/index.js'
import type { Fetcher, FetchRequest, FetchResult } from '../../page/fetch/index.js'
import { SLOW_MS } from '../limits.js'
import { EPOCH_MS, type Machine, type VirtualTime } from '../machines/index.js'
import type { Answer, Web } from './virtual-web.js'

/** Sees every request on the wire. */
export interface Witness {
  /** Returns the number of the request. */
  requested(machine: Machine, url: string): number
  /** The server has answered, or the connection is closed. */
  answered(request: number): void
}

const NOTHING = Buffer.alloc(0)
const HEAD = Buffer.from('HTTP/1.1 200 OK\r\n\r\n')
const ADDRESS = '192.0.2.1'
const STOPPED: FetchResult = { ok: false, code: 'RESET', detail: 'stopped' }

/** The servers of the virtual web, shared by all machines. */
export class Servers {
  readonly web: Web
  readonly #time: VirtualTime
  readonly #tries = new Map<string, number>()
  readonly #slowEvery: number
  #requests = 0

  /** One in `slowEvery` answers takes `SLOW_MS` (0: none). */
  constructor(web: Web, time: VirtualTime, slowEvery = 0) {
    this.web = web
    this.#time = time
    this.#slowEvery = slowEvery
  }

  get requests(): number {
    return this.#requests
  }

  /** Counts the tries of failing pages only: other answers do not depend on them. */
  ask(url: string): { answer: Answer; latencyMs: Millis } {
    this.#requests++
    const tries = this.#tries.get(url) ?? 0
    const answer = this.web.answer(url, tries)
    if (answer.status >= 500) this.#tries.set(url, tries + 1)
    const site = this.web.siteOf(hostOf(siteOf(url)))
    const isSlow = this.#slowEvery > 0 && this.#requests % this.#slowEvery === 0
    return { answer, latencyMs: isSlow ? SLOW_MS : this.web.latencyMs(site, this.#requests) }
  }

  after(delayMs: Millis, task: () => void): void {
    this.#time.later(delayMs, task)
  }

  get now(): Millis {
    return this.#time.now
  }
}

export class VirtualFetcher implements Fetcher {
  readonly #machine: Machine
  readonly #servers: Servers
  readonly #witness: Witness
  readonly #inPhases: boolean
  /** Requests in flight. They end when the machine dies. */
  readonly #open = new Set<number>()
  /** Those of them that may outlast the lease or the phase if the machine is frozen. */
  readonly #long = new Set<number>()
  readonly #aborts = new WeakMap<StopSignal, Set<() => void>>()

  constructor(machine: Machine, servers: Servers, witness: Witness, inPhases: boolean) {
    this.#machine = machine
    this.#servers = servers
    this.#witness = witness
    this.#inPhases = inPhases
    machine.onDeath(() => {
      for (const request of this.#open) witness.answered(request)
      this.#open.clear()
    })
    // P5 makes an exception for them: nobody can abort the requests of a frozen process.
    machine.onFreeze(() => {
      for (const request of this.#long) this.#close(request)
    })
  }

  fetch({ url, mayBegin }: FetchRequest, signal: StopSignal): Promise<FetchResult> {
    if (signal.aborted || mayBegin?.() === false) return Promise.resolve(STOPPED)
    const startedAt = this.#servers.now
    const request = this.#witness.requested(this.#machine, url)
    this.#open.add(request)
    const { answer, latencyMs } = this.#servers.ask(url)
    // A lease lasts longer than a usual answer; a phase may end at any moment.
    if (this.#inPhases || latencyMs >= SLOW_MS) this.#long.add(request)
    return new Promise(resolve => {
      const abort = () => {
        this.#close(request)
        resolve(STOPPED)
      }
      const aborts = this.#abortsOf(signal)
      aborts.add(abort)
      const arrive = () => {
        aborts.delete(abort)
        resolve({ ok: true, exchange: exchangeOf(url, answer, startedAt, latencyMs) })
      }
      this.#servers.after(latencyMs, () => {
        // The server has answered, even if nobody reads the answer.
        this.#close(request)
        this.#machine.now(arrive)
      })
    })
  }

  /** Aborts of all requests under one signal, which share one listener: adding one takes a microsecond. */
  #abortsOf(signal: StopSignal): Set<() => void> {
    const known = this.#aborts.get(signal)
    if (known) return known
    const aborts = new Set<() => void>()
    this.#aborts.set(signal, aborts)
    const abortAll = () => {
      for (const abort of aborts) abort()
    }
    signal.addEventListener('abort', abortAll, { once: true })
    return aborts
  }

  async resolve(): Promise<readonly string[]> {
    return [ADDRESS]
  }

  setConnections(): void {}

  async close(): Promise<void> {}

  #close(request: number): void {
    this.#long.delete(request)
    if (this.#open.delete(request)) this.#witness.answered(request)
  }
}

function exchangeOf(url: string, answer: Answer, startedAt: Millis, fetchMs: Millis): Exchange {
  const body = answer.body === '' ? NOTHING : Buffer.from(answer.body, 'latin1')
  return {
    url,
    startedAt: EPOCH_MS + startedAt,
    fetchMs,
    connectMs: 0,
    remoteAddress: ADDRESS,
    requestHead: NOTHING,
    status: answer.status,
    responseHead: HEAD,
    rawBody: body,
    payload: body,
    body,
    header: name => {
      if (name === 'content-type') return 'text/html; charset=utf-8'
      return name === 'location' ? answer.location : undefined
    },
  }
}
