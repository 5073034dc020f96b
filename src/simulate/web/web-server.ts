/** Serves the generated web on loopback: a small HTTP/1.1 server that costs little beside the crawler. */

import { createServer, type Server, type Socket } from 'node:net'
import type { Cancel, Clock, Millis } from '../../model/index.js'
import { IDLE_MS, SWEEP_MS } from '../limits.js'
import { type Answer, WebAnswers } from './answers.js'
import {
  type Authority,
  addressAuthority,
  loopbackAddress,
  MOST_ADDRESSES,
  namedAuthority,
  siteOfHost,
} from './authority.js'
import { ByteWriter } from './byte-writer.js'
import { latencyOf, mishapOf, type WebKnobs } from './conditions.js'
import type { RequestHead } from './request-head.js'
import { type ResponseBytes, ResponseWriter } from './response.js'
import { Tally, type WebCounts } from './tally.js'
import { seedUrl } from './truth.js'
import { type ConnectionHost, type Verdict, WebConnection } from './web-connection.js'
import type { WebPlan } from './web-plan.js'

/** A request in the server's log. */
export interface ServedRequest {
  /** Epoch milliseconds with fractions, from a monotonic clock. */
  readonly startMs: Millis
  readonly endMs: Millis
  /** Source address of the connection. */
  readonly from: string
  /** host[:port] as in the site's URLs. */
  readonly site: string
  readonly method: string
  readonly target: string
  /** 0 if the connection broke before an answer. */
  readonly status: number
  readonly bytes: number
}

export interface WebServerOptions extends WebKnobs {
  readonly clock: Clock
  /** 0 for any free one. */
  readonly port: number
  /** Each site has its own loopback address, which its URLs contain. */
  readonly addresses?: boolean
  readonly onServed?: (served: ServedRequest) => void
}

const CONNECTIONS = 10_000

export class WebServer {
  readonly plan: WebPlan
  readonly port: number
  readonly authority: Authority
  readonly #options: WebServerOptions
  readonly #servers: Server[] = []
  readonly #connections = new Set<WebConnection>()
  readonly #tally: Tally
  readonly #answers: WebAnswers
  readonly #response = new ResponseWriter(new ByteWriter())
  /** URLs whose first request has failed. */
  readonly #past = new Set<string>()
  readonly #host: ConnectionHost
  readonly #epochMs: Millis
  #cancelSweep: Cancel = () => undefined

  private constructor(plan: WebPlan, options: WebServerOptions, port: number) {
    this.plan = plan
    this.port = port
    this.authority = options.addresses ? addressAuthority(port) : namedAuthority(plan, port)
    this.#options = options
    this.#tally = new Tally(plan)
    this.#answers = new WebAnswers(plan, options, this.authority)
    const { clock } = options
    this.#epochMs = clock.now() - clock.monotonic()
    this.#host = {
      judge: (request, connection) => this.#judge(request, connection),
      refuse: status => this.#refuse(status),
      after: (delayMs, task) => clock.after(delayMs, task),
      monotonic: () => clock.monotonic(),
      keepBytes: () => this.#response.writer.renew(),
    }
    this.#sweep()
  }

  /**
   * Listens on 127.0.0.1, and with `addresses` on the address of each site too; rejects if a port is taken.
   */
  static async listen(plan: WebPlan, options: WebServerOptions): Promise<WebServer> {
    if (options.addresses && plan.sites > MOST_ADDRESSES) {
      throw new RangeError(`at most ${MOST_ADDRESSES} sites can have addresses of their own`)
    }
    const first = createServer({ noDelay: true })
    const port = await open(first, options.port, '127.0.0.1')
    const web = new WebServer(plan, options, port)
    web.#adopt(first)
    try {
      for (let site = 0; options.addresses && site < plan.sites; site++) {
        const server = createServer({ noDelay: true })
        await open(server, port, loopbackAddress(site))
        web.#adopt(server)
      }
    } catch (error) {
      await web.close()
      throw error
    }
    return web
  }

  /** The URL from which a crawl finds the whole web. */
  get seed(): string {
    return seedUrl(this.authority)
  }

  counts(): WebCounts {
    return this.#tally.counts()
  }

  async close(): Promise<void> {
    this.#cancelSweep()
    const closed = this.#servers.map(server => new Promise<void>(resolve => server.close(() => resolve())))
    for (const connection of this.#connections) connection.destroy()
    await Promise.all(closed)
  }

  #adopt(server: Server): void {
    server.maxConnections = CONNECTIONS
    server.on('connection', (socket: Socket) => {
      this.#tally.add('connections')
      const connection = new WebConnection(socket, this.#host)
      this.#connections.add(connection)
      socket.on('close', () => this.#connections.delete(connection))
    })
    this.#servers.push(server)
  }

  #judge(request: RequestHead, connection: WebConnection): Verdict {
    this.#tally.add('requests')
    const known = siteOfHost(this.plan, request.host)
    const site = known >= 0 ? known : siteOfHost(this.plan, connection.localAddress)
    if (site < 0) return this.#refusal(404, `No such site. Start at ${this.seed}\n`, '')
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return this.#refusal(405, 'Only GET and HEAD.\n', 'Allow: GET, HEAD\r\n')
    }
    const answer = this.#answers.answer(site, request.target, this.#options.clock.now())
    const mishap = this.#mishap(site, request.target, answer)
    const served = this.#watch(site, request, connection)
    if (mishap === 'drop') {
      this.#tally.add('dropped')
      served(0, 0)
      return { does: 'reset' }
    }
    return this.#verdict(site, request, answer, mishap === 'fail', served)
  }

  #verdict(
    site: number,
    request: RequestHead,
    answer: Answer,
    fails: boolean,
    served: (status: number, bytes: number) => void,
  ): Verdict {
    const keepAlive = request.keepAlive && !request.hasBody
    let sent: ResponseBytes | undefined
    return {
      does: 'answer',
      keepAlive,
      delayMs: latencyOf(this.plan, this.#options, site, request.target),
      bytes: () => {
        const nowMs = this.#options.clock.now()
        if (fails) {
          this.#tally.add('failed')
          const extra = `Retry-After: 1\r\n${keepAlive ? '' : 'Connection: close\r\n'}`
          sent = this.#response.plain(503, 'Busy, try again.\n', extra, nowMs)
          return sent.bytes
        }
        sent = this.#response.answer(request, answer, keepAlive, nowMs)
        this.#tally.answered(site, answer.place, sent.status, sent.bytes.length, request.method)
        return sent.bytes
      },
      ended: whole => served(whole ? (sent?.status ?? 0) : 0, sent?.bytes.length ?? 0),
    }
  }

  #refusal(status: number, text: string, extra: string): Verdict {
    this.#tally.add('badRequests')
    const fields = `${extra}Connection: close\r\n`
    return {
      does: 'answer',
      delayMs: 0,
      keepAlive: false,
      bytes: () => this.#response.plain(status, text, fields, this.#options.clock.now()).bytes,
      ended: () => undefined,
    }
  }

  #refuse(status: 400 | 431): Buffer {
    this.#tally.add('badRequests')
    const text = status === 400 ? 'This is not a request.\n' : 'The request is too long.\n'
    return this.#response.plain(status, text, 'Connection: close\r\n', this.#options.clock.now()).bytes
  }

  /** Only pages, objects and redirects fail: after a failed robots.txt the site would not be crawled. */
  #mishap(site: number, target: string, { place }: Answer): 'none' | 'fail' | 'drop' {
    if (place.is !== 'page' && place.is !== 'object' && place.is !== 'alias') return 'none'
    const mishap = mishapOf(this.plan, this.#options, site, target)
    if (mishap === 'none') return mishap
    const key = `${site}${target}`
    if (this.#past.has(key)) return 'none'
    this.#past.add(key)
    return mishap
  }

  /** Notes the start of a request; the returned function notes its end. */
  #watch(
    site: number,
    request: RequestHead,
    connection: WebConnection,
  ): (status: number, bytes: number) => void {
    const { onServed, clock } = this.#options
    if (onServed === undefined) return () => undefined
    const startMs = this.#epochMs + clock.monotonic()
    const from = connection.remoteAddress
    const { method, target } = request
    return (status, bytes) => {
      const endMs = this.#epochMs + clock.monotonic()
      onServed({ startMs, endMs, from, site: this.authority(site), method, target, status, bytes })
    }
  }

  /** Closes connections without traffic for too long. */
  #sweep(): void {
    this.#cancelSweep = this.#options.clock.after(SWEEP_MS, () => {
      const oldest = this.#options.clock.monotonic() - IDLE_MS - this.#longestDelayMs()
      for (const connection of this.#connections) if (connection.lastMs < oldest) connection.destroy()
      this.#sweep()
    })
  }

  #longestDelayMs(): Millis {
    const { latencyMs = 0, slowSites } = this.#options
    return 3 * Math.max(latencyMs, ...(slowSites?.values() ?? []))
  }
}

function open(server: Server, port: number, address: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, address, () => {
      server.off('error', reject)
      const bound = server.address()
      resolve(typeof bound === 'object' && bound !== null ? bound.port : port)
    })
  })
}
