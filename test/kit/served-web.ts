/**
 * A small generated web that is served while a test asks it; to import it is enough, servers are closed after
 * each test.
 */
import { type IncomingHttpHeaders, request } from 'node:http'
import { connect } from 'node:net'
import { afterEach } from 'vitest'
import { systemClock } from '../../src/compose/index.js'
import { WebPlan, WebServer } from '../../src/simulate/web/index.js'
import type { WebServerOptions } from '../../src/simulate/web/web-server.js'

export const plan = new WebPlan({ sites: 6, pages: 400, seed: 11 })
const open: WebServer[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map(server => server.close()))
})

export async function start(options: Partial<WebServerOptions> = {}): Promise<WebServer> {
  const server = await WebServer.listen(plan, { clock: systemClock, port: 0, ...options })
  open.push(server)
  return server
}

interface Reply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export function ask(
  server: WebServer,
  site: number,
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<Reply> {
  const host = server.authority(site)
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port: server.port, path, method, headers: { host, ...headers } }
    const asking = request(options, response => {
      let body = ''
      response.on('data', chunk => (body += chunk))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }))
    })
    asking.on('error', reject).end()
  })
}

/** Sends bytes as they are and collects what comes until the server closes, or `enough` says so. */
export function converse(
  server: WebServer,
  text: string,
  enough: (answer: string) => boolean,
): Promise<string> {
  return new Promise(resolve => {
    const socket = connect(server.port, '127.0.0.1')
    let answer = ''
    socket.on('data', chunk => {
      answer += chunk.toString('latin1')
      if (enough(answer)) socket.destroy()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(answer))
    socket.write(text, 'latin1')
  })
}

export const untilClosed = () => false
export const page1 = plan.pathOf(0, 1)
