/** The coordinator's end of the channel, for as long as it holds one seat. */
import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { PackStore } from '../../data/store/index.js'
import type { Incarnation, Ledger } from '../../ledger/index.js'
import { type Clock, LIMITS } from '../../model/index.js'
import { journalBytes } from './journals.js'
import { digestOf } from './pack-frame.js'
import { PackReceiver, type Room } from './pack-receiver.js'
import { HEADERS, ROUTING_PATH, type UploadAnswer } from './protocol.js'

export interface PackServerParts {
  readonly ledger: Pick<Ledger, 'readJournal' | 'agents'>
  readonly clock: Clock
  readonly token: string
  readonly listen: { readonly host: string; readonly port: number }
  /** False once another process holds the seat. */
  readonly isSeated: () => boolean
  /** Opens the store for the files of one incarnation. */
  readonly openStore: (sender: Incarnation) => PackStore
  /** The routing table in force; null if there is none. */
  readonly routing: () => Buffer | null
  readonly onProblem: (problem: string) => void
}

const UPLOAD = /^\/packs\/(\d+)\/(\d+)$/
const END = /^\/lives\/(\d+)\/(close|abandon)$/
const JOURNAL = /^\/journals\/([^/?]+)\?from=(\d+)&bytes=(\d+)$/
const HEAD_MS = 10_000

export class PackServer {
  readonly #parts: PackServerParts
  readonly #server: Server
  readonly #token: Buffer
  readonly #receivers = new Map<Incarnation, PackReceiver>()
  /** Incarnations that the ledger has closed: their packs are refused. */
  readonly #closed = new Set<Incarnation>()
  readonly #room = new HeldBytes()
  #reading = 0

  static async listen(parts: PackServerParts): Promise<PackServer> {
    const server = new PackServer(parts)
    await new Promise<void>((resolve, reject) => {
      server.#server.once('error', reject)
      server.#server.listen(parts.listen.port, parts.listen.host, () => resolve())
    })
    return server
  }

  private constructor(parts: PackServerParts) {
    this.#parts = parts
    this.#token = hashOf(`Bearer ${parts.token}`)
    this.#server = createServer({ headersTimeout: HEAD_MS, requestTimeout: 0 }, (request, response) => {
      this.#serve(request, response).catch(error => {
        parts.onProblem(`a request of an agent without the store failed: ${(error as Error).message}`)
        response.destroy()
      })
    })
    this.#server.maxConnections = LIMITS.channelConnections
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port
  }

  /** True if files of this incarnation are open here. */
  isOpen(sender: Incarnation): boolean {
    return this.#receivers.has(sender)
  }

  get openIncarnations(): number {
    return this.#receivers.size
  }

  /** Memory of packs that are not complete or not stored yet. */
  get heldBytes(): number {
    return this.#room.held
  }

  /** The ledger has closed this incarnation: closes its files as they are. */
  async abandon(sender: Incarnation): Promise<void> {
    this.#closed.add(sender)
    await this.#end(sender, 'abandon')
  }

  async close(): Promise<void> {
    this.#server.close()
    this.#server.closeAllConnections()
    for (const sender of [...this.#receivers.keys()]) await this.#end(sender, 'abandon')
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url = '', method = '', headers } = request
    if (!timingSafeEqual(this.#token, hashOf(headers.authorization ?? '')))
      return refuse(request, response, 401)
    if (!this.#parts.isSeated()) return answer(response, { later: 'the coordinator has lost its seat' })
    const upload = UPLOAD.exec(url)
    if (upload && (method === 'PUT' || method === 'GET'))
      return this.#upload(Number(upload[1]), Number(upload[2]), request, response)
    const [, sender, how] = END.exec(url) ?? []
    if (sender !== undefined && method === 'POST') {
      await this.#end(Number(sender), how as 'close' | 'abandon')
      return answer(response, { received: 0 })
    }
    const [, cell, from, bytes] = JOURNAL.exec(url) ?? []
    if (cell !== undefined && method === 'GET')
      return this.#journal(decodeURIComponent(cell), Number(from), Number(bytes), response)
    if (url === ROUTING_PATH && method === 'GET') {
      const table = this.#parts.routing()
      if (table !== null) return send(response, table)
    }
    refuse(request, response, 404)
  }

  async #upload(
    sender: Incarnation,
    number: number,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const receiver = await this.#receiverOf(sender)
    if (receiver === null) return answer(response, { over: 'the ledger has no such open incarnation' })
    if (request.method === 'GET') return answer(response, await receiver.look(number))
    const numberIn = (name: string) => Number(request.headers[name] ?? Number.NaN)
    const head = {
      number,
      offset: numberIn(HEADERS.offset),
      total: numberIn(HEADERS.total),
      committed: numberIn(HEADERS.committed),
      digest: String(request.headers[HEADERS.digest]),
    }
    const isWhole = [head.offset, head.total, head.committed].every(Number.isSafeInteger)
    if (!isWhole || head.total < 1 || head.total > MOST_BYTES) return refuse(request, response, 400)
    const said = await receiver.take(head, request)
    if (said === null) response.destroy()
    else answer(response, said)
  }

  /**
   * Null for an incarnation that the ledger does not know or has closed: its uploads would use memory that
   * other agents need.
   */
  async #receiverOf(sender: Incarnation): Promise<PackReceiver | null> {
    if (!this.#receivers.has(sender)) {
      const incarnations = await this.#parts.ledger.agents()
      if (this.#closed.has(sender) || !incarnations.some(({ incarnation }) => incarnation === sender))
        return null
    }
    // Another request may have created it meanwhile.
    const known = this.#receivers.get(sender)
    if (known) return known
    const receiver = new PackReceiver(this.#parts.openStore(sender), this.#room, this.#parts.clock)
    this.#receivers.set(sender, receiver)
    return receiver
  }

  async #end(sender: Incarnation, how: 'close' | 'abandon'): Promise<void> {
    const receiver = this.#receivers.get(sender)
    for (const problem of (await receiver?.end(how)) ?? []) this.#parts.onProblem(problem)
    this.#receivers.delete(sender)
  }

  async #journal(cell: string, from: number, maxBytes: number, response: ServerResponse): Promise<void> {
    if (this.#reading >= LIMITS.journalReads)
      return answer(response, { later: 'too many uploads at once' }, 503)
    this.#reading++
    try {
      const bytes = journalBytes(await this.#parts.ledger.readJournal(cell, from, maxBytes))
      send(response, bytes)
    } finally {
      this.#reading--
    }
  }
}

/** A pack is sealed at 8 MiB, but its last page may be as large as all bodies in flight. */
const MOST_BYTES = 2 * LIMITS.bodyBytesInFlight

class HeldBytes implements Room {
  #held = 0

  get held(): number {
    return this.#held
  }

  take(bytes: number): boolean {
    if (this.#held > 0 && this.#held + bytes > LIMITS.uploadBytes) return false
    this.#held += bytes
    return true
  }

  give(bytes: number): void {
    this.#held -= bytes
  }
}

/**
 * Digests have equal lengths, and the time to compare them does not reveal how much of a guessed token is
 * right.
 */
function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function answer(response: ServerResponse, said: UploadAnswer, status = 200): void {
  const text = JSON.stringify(said)
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  })
  response.end(text)
}

function send(response: ServerResponse, bytes: Buffer): void {
  response.writeHead(200, { [HEADERS.digest]: digestOf([bytes]), 'content-length': bytes.length })
  response.end(bytes)
}

/** Closes the connection without reading the body of the request. */
function refuse(request: IncomingMessage, response: ServerResponse, status: number): void {
  response.writeHead(status, { connection: 'close', 'content-length': 0 })
  response.end(() => request.destroy())
}
