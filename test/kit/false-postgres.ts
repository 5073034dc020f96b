/**
 * What a thief of passwords runs: takes connections as PostgreSQL does, without TLS, and asks for the
 * password in the clear.
 */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'

const SSL_REQUEST = 80_877_103
const AUTHENTICATION_CLEARTEXT = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3])

export class FalsePostgres {
  connections = 0
  /** Everything that anybody has said to it. */
  heard = ''
  readonly #server: Server
  readonly #open = new Set<Socket>()

  static async listen(): Promise<FalsePostgres> {
    const server = new FalsePostgres()
    server.#server.listen(0, '127.0.0.1')
    await once(server.#server, 'listening')
    return server
  }

  private constructor() {
    this.#server = createServer(socket => this.#serve(socket))
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  async close(): Promise<void> {
    for (const socket of this.#open) socket.destroy()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #serve(socket: Socket): void {
    this.connections++
    this.#open.add(socket)
    let isAsked = false
    socket.on('error', () => {})
    socket.on('data', piece => {
      this.heard += piece.toString('latin1')
      if (piece.length === 8 && piece.readInt32BE(4) === SSL_REQUEST) socket.write('N')
      else if (!isAsked) isAsked = socket.write(AUTHENTICATION_CLEARTEXT)
      else socket.destroy()
    })
  }
}
