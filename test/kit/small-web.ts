/** A real server on loopback whose hosts are functions: what each says to a path, and what it was asked. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Said {
  readonly status?: number
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string | Buffer
}

/** Null is a 404; a text is an HTML page. `host` is without its port. */
export type SmallSite = (path: string, host: string) => Said | string | null

export class SmallWeb {
  /** `host/path` of every request, in order. */
  readonly asked: string[] = []
  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
  }

  /** A name that begins with a dot stands for all hosts below it. */
  static async listen(sites: Readonly<Record<string, SmallSite>>, delayMs = 0, port = 0): Promise<SmallWeb> {
    const server = createServer()
    const web = new SmallWeb(server)
    server.on('request', (request, response) => {
      const host = (request.headers.host ?? '').replace(/:\d+$/, '')
      const path = request.url ?? '/'
      web.asked.push(`${host}${path}`)
      const site = sites[host] ?? sites[host.slice(host.indexOf('.'))]
      const answer = site?.(path, host) ?? null
      const said = typeof answer === 'string' ? { body: answer } : (answer ?? { status: 404, body: 'no' })
      const say = () => {
        response.writeHead(said.status ?? 200, { 'content-type': said.type ?? 'text/html', ...said.headers })
        response.end(said.body)
      }
      if (delayMs === 0) say()
      else setTimeout(say, delayMs)
    })
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return web
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Flags that lead every name below .test here. */
  get flags(): string[] {
    return ['--resolve', `*.test=127.0.0.1:${this.port}`, '--delay', '0', '--contact', 'https://example.org/']
  }

  /** What one host was asked for, robots.txt apart. */
  askedOf(host: string): string[] {
    return this.asked.filter(entry => entry.startsWith(`${host}/`) && !entry.endsWith('/robots.txt'))
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }
}

export function page(title: string, text: string, links: readonly string[] = []): string {
  const anchors = links.map((link, i) => `<a href="${link.replaceAll('&', '&amp;')}">link ${i}</a>`)
  return `<!DOCTYPE html><title>${title}</title><p>${text}</p>${anchors.join('\n')}`
}
