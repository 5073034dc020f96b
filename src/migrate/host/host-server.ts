/**
 * The HTTP server of a host. It listens on loopback; the owner's web server stands before it and has the TLS.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Semaphore } from '../../model/index.js'
import type { HostCard } from '../bundle/index.js'
import { BUNDLE_BYTES, HOST_CONNECTIONS, HOST_HEADERS_MS, HOST_REQUEST_MS, RENEWAL_BYTES } from '../limits.js'
import { hostPage } from './host-page.js'
import type { HostTours, HostToursParts } from './host-tours.js'

const BASE = '/.well-known/orbweaver'
const TOUR = /^\/tours\/([0-9a-f]{32})$/
const PART = /^\/tours\/([0-9a-f]{32})\/parts\/(\d{1,9})$/
/** Bundles read at a time: each may be large. */
const READERS = 2

export class HostServer {
  readonly #server: Server
  readonly #tours: HostTours
  readonly #parts: HostToursParts
  readonly #reading = new Semaphore(READERS)

  private constructor(parts: HostToursParts, tours: HostTours) {
    this.#parts = parts
    this.#tours = tours
    this.#server = createServer({
      headersTimeout: HOST_HEADERS_MS,
      requestTimeout: HOST_REQUEST_MS,
      keepAliveTimeout: HOST_REQUEST_MS,
    })
    this.#server.maxConnections = HOST_CONNECTIONS
    this.#server.on('request', (request, response) => {
      this.#answer(request, response).catch(error => {
        say(response, 500, { error: error instanceof Error ? error.message : String(error) })
      })
    })
  }

  /** Rejects with the error of the system if the address cannot be used. */
  static async listen(
    parts: HostToursParts,
    tours: HostTours,
    host: string,
    port: number,
  ): Promise<HostServer> {
    const server = new HostServer(parts, tours)
    server.#server.listen(port, host)
    await once(server.#server, 'listening')
    return server
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  async close(): Promise<void> {
    this.#tours.close()
    this.#server.close()
    this.#server.closeAllConnections()
    await once(this.#server, 'close')
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '' } = request
    const path = url.split('?', 1)[0]!
    if (path === `${BASE}.json` && method === 'GET') return say(response, 200, this.#card())
    if (path === `${BASE}/` && method === 'GET') return this.#page(response)
    const inner = path.startsWith(`${BASE}/`) ? path.slice(BASE.length) : ''
    if (inner === '/tours' && method === 'POST') return this.#accept(request, response)
    const [, tour] = TOUR.exec(inner) ?? []
    if (tour !== undefined && method === 'POST') return this.#renew(request, response, tour)
    const [, ofTour, number] = PART.exec(inner) ?? []
    if (ofTour !== undefined && method === 'GET') return this.#part(response, ofTour, Number(number))
    request.resume()
    say(response, 404, { error: 'there is nothing here' })
  }

  async #accept(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const accepted = await this.#reading.run(async () => {
      const bytes = await bodyOf(request, BUNDLE_BYTES)
      return bytes === null ? null : this.#tours.accept(bytes)
    })
    if (accepted === null) return say(response, 413, { error: `more than ${BUNDLE_BYTES} bytes` })
    if (accepted.ok) say(response, 201, accepted.progress)
    else say(response, accepted.status, { error: accepted.why })
  }

  async #renew(request: IncomingMessage, response: ServerResponse, tour: string): Promise<void> {
    const bytes = await bodyOf(request, RENEWAL_BYTES)
    const progress = bytes === null ? null : this.#tours.renew(tour, bytes.toString('utf8'))
    if (progress === undefined) say(response, 404, { error: 'there is no such tour' })
    else if (progress === null) say(response, 409, { error: 'the renewal is refused' })
    else say(response, 200, progress)
  }

  #part(response: ServerResponse, tour: string, number: number): void {
    const part = this.#tours.part(tour, number)
    if (part === undefined) {
      say(response, 404, { error: 'there is no such part' })
      return
    }
    this.#tours.sent(tour, number, part.length)
    response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': part.length })
    response.end(part)
  }

  #page(response: ServerResponse): void {
    const { policy, keys } = this.#parts.folder
    const origins = this.#parts.sources.map(({ origin }) => origin)
    response.writeHead(200, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
      'x-content-type-options': 'nosniff',
    })
    response.end(hostPage(policy(), keys.publicKey, origins))
  }

  #card(): HostCard {
    const { folder, sources } = this.#parts
    const { name, contact } = folder.policy()
    return {
      version: 1,
      host: folder.keys.publicKey,
      name,
      contact,
      origins: sources.map(({ origin }) => origin),
    }
  }
}

function say(response: ServerResponse, status: number, value: object): void {
  if (response.headersSent) return
  const body = JSON.stringify(value)
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    // A body that was not read to its end would be taken for the next request.
    ...(status === 413 ? { connection: 'close' } : {}),
  })
  response.end(body)
}

/** Null if the body is longer than allowed, or breaks off. */
async function bodyOf(request: IncomingMessage, mostBytes: number): Promise<Buffer | null> {
  // Without reading it: whoever is told before the body has left can read the answer.
  if (Number(request.headers['content-length'] ?? 0) > mostBytes) return null
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of request) {
      bytes += (chunk as Buffer).length
      if (bytes > mostBytes) return null
      chunks.push(chunk as Buffer)
    }
  } catch {
    return null
  }
  return Buffer.concat(chunks)
}
