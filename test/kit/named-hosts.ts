/**
 * One real HTTP server for many host names, each with behaviour of its own; it keeps the times of every
 * request.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Seen {
  readonly host: string
  readonly path: string
  readonly startMs: number
  endMs: number
  /** Which connection of the server it came on. */
  readonly connection: number
  /** The address it came from. */
  readonly from: string
}

/** Answers, or returns false to be answered with a page that has no links. */
export type Host = (request: IncomingMessage, response: ServerResponse, path: string) => boolean | undefined

export class NamedHosts {
  readonly log: Seen[] = []
  readonly #server: Server
  readonly #hosts = new Map<string, Host>()
  #connections = 0

  private constructor(server: Server) {
    this.#server = server
  }

  static async start(port = 0): Promise<NamedHosts> {
    const server = createServer({ keepAliveTimeout: 60_000 })
    const hosts = new NamedHosts(server)
    const numbers = new WeakMap<object, number>()
    server.on('connection', socket => numbers.set(socket, ++hosts.#connections))
    server.on('request', (request, response) =>
      hosts.#answer(request, response, numbers.get(request.socket) ?? 0),
    )
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return hosts
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Flags that lead every name of `.test` here. */
  get flags(): string[] {
    return [
      '--resolve',
      `*.test=127.0.0.1:${this.port}`,
      '--scope',
      'any',
      '--contact',
      'https://example.org/',
    ]
  }

  set(host: string, behave: Host): string {
    this.#hosts.set(host, behave)
    return `http://${host}/`
  }

  /** Requests to hosts that match, in the order they began. */
  of(...hosts: readonly string[]): Seen[] {
    return this.log.filter(({ host }) => hosts.includes(host))
  }

  /** Resolves once `host` was asked so often, robots.txt apart. */
  async asked(host: string, times: number): Promise<void> {
    while (this.of(host).filter(({ path }) => path !== '/robots.txt').length < times)
      await new Promise(resolve => setTimeout(resolve, 5))
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #answer(request: IncomingMessage, response: ServerResponse, connection: number): void {
    const host = request.headers.host ?? ''
    const path = request.url ?? '/'
    const seen: Seen = {
      host,
      path,
      startMs: performance.now(),
      endMs: Number.POSITIVE_INFINITY,
      connection,
      from: request.socket.remoteAddress ?? '',
    }
    this.log.push(seen)
    // Taken before the bytes leave: afterwards this process may be out of turn while the client already reads
    // them.
    const end = response.end.bind(response) as (body?: string) => ServerResponse
    response.end = ((body?: string) => {
      seen.endMs = performance.now()
      return end(body)
    }) as typeof response.end
    if (this.#hosts.get(host)?.(request, response, path) === true) return
    if (path === '/robots.txt') response.writeHead(404).end()
    else response.writeHead(200, { 'content-type': 'text/html' }).end('<title>a page</title>')
  }
}

/** A home page with links to `/1` … `/n`, and those pages, each of so many bytes. */
export function sited(pages: number, bytes = 0): Host {
  const links = Array.from({ length: pages }, (_, i) => `<a href="/${i + 1}">${i + 1}</a>`).join('')
  return (_request, response, path) => {
    if (path === '/robots.txt') return false
    const body = path === '/' ? links : `<title>${path}</title>${'x'.repeat(bytes)}`
    response.writeHead(200, { 'content-type': 'text/html' }).end(body)
    return true
  }
}

/** Pairs of requests of which the later began less than `delayMs` after the earlier had been answered. */
export function closerThan(delayMs: number, log: readonly Seen[]): string[] {
  const found: string[] = []
  for (let i = 1; i < log.length; i++) {
    const gap = log[i].startMs - log[i - 1].endMs
    if (gap < delayMs)
      found.push(
        `${log[i].host}${log[i].path} ${Math.round(gap)} ms after ${log[i - 1].host}${log[i - 1].path}`,
      )
  }
  return found
}
