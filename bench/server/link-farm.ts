import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'

const HOSTS = 40
const PORT = 8611
/** One link in so many leads to another host, as on the generated web. */
const FOREIGN_EVERY = 8
const SECTIONS = ['news', 'archive', 'articles', 'reports', 'letters', 'library', 'projects']

export const LINKS_PER_PAGE = 100
/** With its links a page is as long as those of the generated web. */
const TEXT_CHARS = 8_000
const WORDS =
  'river stone market winter letter garden bridge copper signal harbour meadow paper lantern orchard'

/**
 * Pages of 17 KB with a hundred links, no link twice: a crawler knows a hundred times what it has fetched,
 * and does to every page what it does to any. A page's number is that of the page that links to it and its
 * place there, so nothing has to be remembered.
 */
export class LinkFarm {
  readonly seeds = Array.from({ length: HOSTS }, (_, host) => `http://${addressOf(host)}:${PORT}/`)
  readonly #servers: Server[] = []
  readonly #waiting: (() => void)[] = []
  #pages = 0

  /** Pages served since the start. */
  get pages(): number {
    return this.#pages
  }

  static async listen(): Promise<LinkFarm> {
    const farm = new LinkFarm()
    for (let host = 0; host < HOSTS; host++) {
      const server = createServer((request, response) => farm.#answer(host, request, response))
      server.keepAliveTimeout = 60_000
      farm.#servers.push(server)
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject).listen(PORT, addressOf(host), resolve)
      })
    }
    return farm
  }

  /** Resolves when anybody asks for anything. */
  nextRequest(): Promise<void> {
    return new Promise(resolve => this.#waiting.push(resolve))
  }

  async close(): Promise<void> {
    for (const server of this.#servers) server.closeAllConnections()
    await Promise.all(this.#servers.map(server => new Promise(resolve => server.close(resolve))))
  }

  #answer(host: number, request: IncomingMessage, response: ServerResponse): void {
    for (const resolve of this.#waiting.splice(0)) resolve()
    if (request.url === '/robots.txt') {
      response.writeHead(200, { 'content-type': 'text/plain' }).end('User-agent: *\nDisallow:\n')
      return
    }
    this.#pages++
    const number = /([\d.]+)\.html$/.exec(request.url ?? '')?.[1] ?? String(host)
    const body = Buffer.from(pageHtml(host, number))
    response
      .writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-length': body.length })
      .end(body)
  }
}

function addressOf(host: number): string {
  return `127.0.3.${host + 1}`
}

function pageHtml(host: number, number: string): string {
  let html = `<!doctype html><html lang="en"><title>Page ${number}</title>\n<ul>\n`
  for (let link = 0; link < LINKS_PER_PAGE; link++) {
    const isForeign = link % FOREIGN_EVERY === 0
    const origin = isForeign ? `http://${addressOf((host + 1 + link / FOREIGN_EVERY) % HOSTS)}:${PORT}` : ''
    const section = SECTIONS[link % SECTIONS.length]
    html += `<li><a href="${origin}/${section}/a-page-known-by-its-number-${number}.${link}.html">page ${link}</a>\n`
  }
  return `${html}</ul>\n<p>${textOf(number)}</p></html>\n`
}

/** Words in an order that the page's number decides. */
function textOf(number: string): string {
  const words = WORDS.split(' ')
  let state = 1
  for (const char of number) state = (Math.imul(state, 31) + char.charCodeAt(0)) >>> 0
  let text = ''
  while (text.length < TEXT_CHARS) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    text += `${words[(state >>> 16) % words.length]}${state >>> 28 === 0 ? '.</p>\n<p>' : ' '}`
  }
  return text
}
