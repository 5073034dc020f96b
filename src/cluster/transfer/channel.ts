/**
 * The agent's end of the channel: one request at a time to the coordinator, whose address is in the ledger.
 */

import { Agent, type IncomingMessage, request } from 'node:http'
import { hostname } from 'node:os'
import { type Ledger, seatStatusOf } from '../../ledger/index.js'
import { LIMITS } from '../../model/index.js'
import { CHANNEL_SILENCE_MS } from '../limits.js'
import { after } from './pack-frame.js'

interface CoordinatorPlace {
  readonly host: string
  readonly port: number
}

interface Asked {
  readonly method: 'GET' | 'PUT' | 'POST'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: { readonly buffers: readonly Buffer[]; readonly offset: number }
}

interface Answered {
  readonly status: number
  readonly digest: string
  readonly body: Buffer
}

/** No answer came, or the answer is not from a coordinator. */
export class UnavailableError extends Error {}

export interface Channel {
  /** Throws an UnavailableError when there is no answer. */
  ask(asked: Asked): Promise<Answered>
  close(): void
}

const LOOPBACK = /^(?:127\.|localhost$|::1$)/

export function channelTo(ledger: Ledger, token: string): Channel {
  const agent = new Agent({ keepAlive: true, maxSockets: 2 })
  return {
    ask: async asked => exchange(agent, await findCoordinator(ledger), token, asked),
    close: () => agent.destroy(),
  }
}

/** If several processes believe that they hold the seat, returns the one with the highest epoch. */
async function findCoordinator(ledger: Ledger): Promise<CoordinatorPlace> {
  const held = (await ledger.agents()).map(seatStatusOf).filter(status => status !== null)
  const [latest] = held.sort((a, b) => b.seat - a.seat)
  if (latest === undefined) throw new UnavailableError('the crawl has no coordinator at the moment')
  if (latest.place === null) throw new UnavailableError('the coordinator does not accept packs yet')
  const { machine, host, port } = latest.place
  if (LOOPBACK.test(host) && machine !== hostname())
    throw new UnavailableError(
      'the coordinator accepts packs from its own machine only; start it with --listen HOST:PORT',
    )
  return { host, port }
}

function exchange(agent: Agent, place: CoordinatorPlace, token: string, asked: Asked): Promise<Answered> {
  const { method, path, headers = {}, body } = asked
  return new Promise((resolve, reject) => {
    const failed = (error: Error) =>
      reject(new UnavailableError(`the coordinator does not answer (${codeOf(error)})`))
    const buffers = body ? after(body.buffers, body.offset) : []
    const bytes = buffers.reduce((sum, { length }) => sum + length, 0)
    const asking = request({
      ...place,
      agent,
      method,
      path,
      headers: { ...headers, authorization: `Bearer ${token}`, 'content-length': bytes },
    })
    asking.setTimeout(CHANNEL_SILENCE_MS, () => asking.destroy(new Error('silence')))
    asking.on('error', failed)
    asking.on('response', response => {
      readAll(response).then(
        answer => resolve({ status: response.statusCode ?? 0, digest: digestIn(response), body: answer }),
        failed,
      )
    })
    for (const buffer of buffers) asking.write(buffer)
    asking.end()
  })
}

async function readAll(response: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of response as AsyncIterable<Buffer>) {
    bytes += part.length
    if (bytes > LIMITS.uploadBytes) throw new Error('the answer is too long')
    parts.push(part)
  }
  if (!response.complete) throw new Error('cut')
  return Buffer.concat(parts)
}

function digestIn({ headers }: IncomingMessage): string {
  const value = headers['x-orbweaver-digest']
  return typeof value === 'string' ? value : ''
}

function codeOf(error: Error): string {
  return (error as { code?: string }).code ?? error.message
}
