/**
 * A real server on loopback with one host per misbehaviour, and one host that behaves. They wait for each
 * other, so that order of events proves what a clock could not: the good site shows its last page only when
 * every misbehaviour is under way, and no misbehaviour comes to its point before the good site is done. A
 * crawler that let one site hold up another would never get there.
 */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'

/** What a misbehaving host does with a request. `/robots.txt` is answered for it, unless it has its own. */
export type Misbehave = (talk: Talk) => void | Promise<void>

/** One request to a misbehaving host. */
export interface Talk {
  readonly socket: Socket
  /** Path and query asked for. */
  readonly target: string
  /** Resolves when the good site is done: the moment to come to the point. */
  readonly goodIsDone: Promise<void>
  /** Bytes as they are; a string is Latin-1. False when the other side has gone. */
  say(bytes: string | Buffer): boolean
  /** A whole response with a body of known length. */
  page(body: string | Buffer, headers?: string): void
  /** Writes `piece` again and again, as fast as it is taken, until the other side goes. */
  sayForever(piece: Buffer): Promise<void>
  /** Writes `piece` every `everyMs` until the other side goes. */
  dribble(piece: string, everyMs: number): Promise<void>
}

/** What happened, in the order it did: `asked HOST/PATH`, `gone HOST` (the connection ended), `good done`. */
export type Happening = string

export const GOOD = 'good.test'
const GOOD_PAGES = 12
const ROBOTS = 'User-agent: *\nDisallow: /private/\n'

export class HostileWeb {
  readonly events: Happening[] = []
  readonly #server: Server
  readonly #hosts: ReadonlyMap<string, Misbehave>
  readonly #ownRobots: ReadonlySet<string>
  readonly #awaited: Set<string>
  readonly #sockets = new Set<Socket>()
  readonly #allUnderWay: Promise<void>
  readonly goodIsDone: Promise<void>
  #underWay: () => void = () => {}
  #good: () => void = () => {}

  private constructor(
    server: Server,
    hosts: ReadonlyMap<string, Misbehave>,
    alsoAwaited: readonly string[],
    ownRobots: ReadonlySet<string>,
  ) {
    this.#server = server
    this.#hosts = hosts
    this.#ownRobots = ownRobots
    this.#awaited = new Set([...hosts.keys(), ...alsoAwaited])
    this.#allUnderWay = new Promise(resolve => {
      this.#underWay = resolve
    })
    this.goodIsDone = new Promise(resolve => {
      this.#good = resolve
    })
  }

  /** `alsoAwaited`: names that are under way elsewhere (`underWay`), in name servers or TLS handshakes. */
  static async start(
    hosts: ReadonlyMap<string, Misbehave>,
    alsoAwaited: readonly string[] = [],
    ownRobots: ReadonlySet<string> = new Set(),
  ): Promise<HostileWeb> {
    const server = createServer({ noDelay: true })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const web = new HostileWeb(server, hosts, alsoAwaited, ownRobots)
    server.on('connection', socket => web.serve(socket))
    return web
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** A misbehaviour has begun. */
  underWay(host: string): void {
    this.#awaited.delete(host)
    if (this.#awaited.size === 0) this.#underWay()
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
    await once(this.#server, 'close')
  }

  /** Also for sockets that came another way, through TLS. */
  serve(socket: Socket): void {
    let heard = ''
    let host = ''
    this.#sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => {
      this.#sockets.delete(socket)
      if (host !== '') this.events.push(`gone ${host}`)
    })
    socket.on('data', piece => {
      heard += piece.toString('latin1')
      for (let end = heard.indexOf('\r\n\r\n'); end >= 0; end = heard.indexOf('\r\n\r\n')) {
        const head = heard.slice(0, end)
        heard = heard.slice(end + 4)
        const target = head.split(' ', 2)[1]
        const asked = /^host: *([^:\r]+)/im.exec(head)?.[1] ?? ''
        if (target !== '/robots.txt' || this.#ownRobots.has(asked)) host = asked
        void this.#answer(socket, asked, target)
      }
    })
  }

  async #answer(socket: Socket, host: string, target: string): Promise<void> {
    this.events.push(`asked ${host}${target}`)
    const misbehave = this.#hosts.get(host)
    const talk = this.#talk(socket, target)
    if (host === GOOD) return this.#behave(talk)
    if (misbehave === undefined) return talk.page('nobody lives here')
    if (target === '/robots.txt' && !this.#ownRobots.has(host))
      return talk.page(ROBOTS, 'Content-Type: text/plain\r\nConnection: close\r\n')
    this.underWay(host)
    await misbehave(talk)
  }

  async #behave(talk: Talk): Promise<void> {
    if (talk.target === '/robots.txt') return talk.page(ROBOTS, 'Content-Type: text/plain\r\n')
    const number = Number(talk.target.slice(1)) || 0
    if (number === GOOD_PAGES) await this.#allUnderWay
    const next = number < GOOD_PAGES ? `<a href="/${number + 1}">next</a>` : 'the end'
    talk.page(`<title>good ${number}</title>${next}`)
    if (number < GOOD_PAGES) return
    this.events.push('good done')
    this.#good()
  }

  #talk(socket: Socket, target: string): Talk {
    const say = (bytes: string | Buffer): boolean => {
      if (socket.destroyed) return false
      socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
      return true
    }
    return {
      socket,
      target,
      goodIsDone: this.goodIsDone,
      say,
      page: (body, headers = 'Content-Type: text/html\r\n') => {
        const bytes = typeof body === 'string' ? Buffer.from(body, 'latin1') : body
        say(`HTTP/1.1 200 OK\r\n${headers}Content-Length: ${bytes.length}\r\n\r\n`)
        say(bytes)
      },
      sayForever: async piece => {
        while (!socket.destroyed) if (!socket.write(piece)) await room(socket)
      },
      dribble: async (piece, everyMs) => {
        while (say(piece)) await new Promise(resolve => setTimeout(resolve, everyMs))
      },
    }
  }
}

/** Resolves when there is room for more, or nobody left to take it. */
function room(socket: Socket): Promise<void> {
  return new Promise(resolve => {
    const done = (): void => {
      socket.off('drain', done).off('close', done)
      resolve()
    }
    socket.on('drain', done).on('close', done)
  })
}
