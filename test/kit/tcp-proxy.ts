/** A wire that can be cut at the worst moment: between a client and a server. */
import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'

/** `request`: what it stands in never arrives. `answer`: it arrives, and what is answered does not. */
export interface Cut {
  readonly at: string
  readonly loses: 'request' | 'answer'
}

export class TcpProxy {
  readonly #server: Server
  readonly #open = new Set<Socket>()
  #next: Cut | null = null
  #isCutOff = false
  cuts = 0
  /** From clients, as far as it was passed on. */
  bytesUp = 0

  static async listen(host: string, port: number, ownPort = 0): Promise<TcpProxy> {
    const proxy = new TcpProxy(host, port)
    proxy.#server.listen(ownPort, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  private constructor(host: string, port: number) {
    this.#server = createServer(client => this.#join(client, connect(port, host)))
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port
  }

  /** The next connection that says so is cut. */
  cutNext(cut: Cut): void {
    this.#next = cut
  }

  /** Nothing passes in either direction, and nobody is told: as when a cable is pulled. */
  cutOff(): void {
    this.#isCutOff = true
    for (const socket of this.#open) socket.pause()
  }

  /** What was sent meanwhile arrives now. */
  heal(): void {
    this.#isCutOff = false
    for (const socket of this.#open) socket.resume()
  }

  /** All connections there are, whatever they are at. */
  cutAll(): void {
    this.cuts += this.#open.size / 2
    for (const socket of this.#open) socket.destroy()
  }

  async close(): Promise<void> {
    for (const socket of this.#open) socket.destroy()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #join(client: Socket, server: Socket): void {
    let isUnresponsive = false
    const end = () => {
      client.destroy()
      server.destroy()
    }
    for (const socket of [client, server]) {
      this.#open.add(socket)
      socket.setNoDelay(true)
      socket.on('error', end)
      socket.on('close', () => {
        this.#open.delete(socket)
        end()
      })
    }
    client.on('data', chunk => {
      const cut = this.#next
      if (cut && chunk.includes(cut.at, 0, 'latin1')) {
        this.#next = null
        this.cuts++
        isUnresponsive = true
        if (cut.loses === 'request') return end()
      }
      this.bytesUp += chunk.length
      server.write(chunk)
    })
    server.on('data', chunk => (isUnresponsive ? end() : client.write(chunk)))
    if (this.#isCutOff) for (const socket of [client, server]) socket.pause()
  }
}
