import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'

/** `connection` counts from 0; `request` is the head as received. */
export type Answer = (socket: Socket, request: string, connection: number) => void

/** A server that says exactly the bytes a test tells it to, in the pieces it tells it to. */
export class RawServer {
  readonly port: number
  /** Heads of all requests, in the order they came. */
  readonly requests: string[] = []
  readonly sockets: Socket[] = []
  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
    this.port = (server.address() as AddressInfo).port
  }

  /** A string is said to every request. */
  static async start(
    answer: Answer | string,
    tls?: TlsOptions,
    host = '127.0.0.1',
    port = 0,
  ): Promise<RawServer> {
    const server = tls === undefined ? createServer() : createTlsServer(tls)
    server.listen(port, host)
    await once(server, 'listening')
    const raw = new RawServer(server)
    const say: Answer = typeof answer === 'string' ? socket => socket.write(answer, 'latin1') : answer
    server.on(tls === undefined ? 'connection' : 'secureConnection', (socket: Socket) =>
      raw.#serve(socket, say),
    )
    return raw
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`
  }

  get connections(): number {
    return this.sockets.length
  }

  /** Calls `listener` for every TCP connection, before any handshake. */
  onConnection(listener: () => void): void {
    this.#server.on('connection', listener)
  }

  /** Takes no more connections; those that are open go on. */
  refuse(): void {
    this.#server.close()
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy()
    if (!this.#server.listening) return
    this.#server.close()
    await once(this.#server, 'close')
  }

  #serve(socket: Socket, say: Answer): void {
    const connection = this.sockets.push(socket) - 1
    let heard = ''
    socket.setNoDelay(true)
    socket.on('error', () => {})
    socket.on('data', piece => {
      heard += piece.toString('latin1')
      for (let end = heard.indexOf('\r\n\r\n'); end >= 0; end = heard.indexOf('\r\n\r\n')) {
        const request = heard.slice(0, end + 4)
        heard = heard.slice(end + 4)
        this.requests.push(request)
        say(socket, request, connection)
      }
    })
  }
}

/** Writes one byte at a time, each in a packet of its own as far as the system allows. */
export async function dribble(socket: Socket, text: string): Promise<void> {
  for (const byte of Buffer.from(text, 'latin1')) {
    socket.write(Buffer.of(byte))
    await new Promise(resolve => setImmediate(resolve))
  }
}

/**
 * Resolves when what was written on loopback before has been read by this process, however little of it the
 * machine lets run.
 */
export async function arrived(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise(resolve => setImmediate(resolve))
}

/** Resolves once `condition` holds; a test that waits in vain fails by the runner's timeout. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise(resolve => setTimeout(resolve, 2))
}
