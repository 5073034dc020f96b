/** Bundles over HTTP, to the runtime behind the web server of a site. */
import type { KeyObject } from 'node:crypto'
import { type IncomingMessage, request } from 'node:http'
import { request as secureRequest } from 'node:https'
import type { Clock, Millis } from '../../model/index.js'
import {
  type HostCard,
  type Progress,
  type Renewal,
  readHostCard,
  readProgress,
  writeRenewal,
} from '../bundle/index.js'
import { ANSWER_BYTES, ANSWER_MS, CARRY_MS, RENEWAL_MS } from '../limits.js'
import type { Carrier, Sent } from './carrier.js'

interface Answer {
  readonly status: number
  readonly body: Buffer
}

const BASE = '/.well-known/orbweaver'

export class HttpCarrier implements Carrier {
  readonly #clock: Clock
  readonly #origin: string
  readonly #privateKey: KeyObject

  /** `origin` has no trailing slash; `privateKey` signs renewals. */
  constructor(clock: Clock, origin: string, privateKey: KeyObject) {
    this.#clock = clock
    this.#origin = origin
    this.#privateKey = privateKey
  }

  async card(): Promise<HostCard | null> {
    const answer = await this.#ask('GET', '.json', null, ANSWER_BYTES, ANSWER_MS)
    return typeof answer === 'string' || answer.status !== 200
      ? null
      : readHostCard(answer.body.toString('utf8'))
  }

  async send(bundle: Buffer): Promise<Sent> {
    const answer = await this.#ask('POST', '/tours', bundle, ANSWER_BYTES, CARRY_MS)
    if (typeof answer === 'string') return { is: 'failed', why: answer }
    const text = answer.body.toString('utf8')
    if (answer.status !== 201) return { is: 'refused', why: reasonOf(answer.status, text) }
    const progress = readProgress(text)
    return progress === null
      ? { is: 'failed', why: 'the host gave an answer that is not one' }
      : { is: 'accepted', progress }
  }

  async renew(renewal: Renewal): Promise<Progress | null> {
    const text = writeRenewal(renewal, this.#privateKey)
    const answer = await this.#ask(
      'POST',
      `/tours/${renewal.tour}`,
      Buffer.from(text),
      ANSWER_BYTES,
      RENEWAL_MS,
    )
    if (typeof answer === 'string' || answer.status !== 200) return null
    return readProgress(answer.body.toString('utf8'))
  }

  async part(tour: string, number: number, mostBytes: number): Promise<Buffer | null> {
    const answer = await this.#ask('GET', `/tours/${tour}/parts/${number}`, null, mostBytes, CARRY_MS)
    return typeof answer === 'string' || answer.status !== 200 ? null : answer.body
  }

  /** Text is the reason for a failure. Redirects are not followed. */
  #ask(
    method: string,
    path: string,
    body: Buffer | null,
    mostBytes: number,
    withinMs: Millis,
  ): Promise<Answer | string> {
    return new Promise(resolve => {
      const open = this.#origin.startsWith('https:') ? secureRequest : request
      const headers = body === null ? {} : { 'content-length': body.length }
      const asking = open(`${this.#origin}${BASE}${path}`, { method, headers, agent: false })
      const cancel = this.#clock.after(withinMs, () => end(`no answer within ${withinMs / 1000} s`))
      const end = (answer: Answer | string) => {
        cancel()
        resolve(answer)
        asking.destroy()
      }
      asking.on('error', error => end(error.message))
      asking.on('response', response => void collect(response, mostBytes).then(end))
      asking.end(body ?? undefined)
    })
  }
}

async function collect(response: IncomingMessage, mostBytes: number): Promise<Answer | string> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of response) {
      bytes += (chunk as Buffer).length
      if (bytes > mostBytes) return `an answer of more than ${mostBytes} bytes`
      chunks.push(chunk as Buffer)
    }
  } catch (error) {
    return (error as Error).message
  }
  return { status: response.statusCode ?? 0, body: Buffer.concat(chunks) }
}

function reasonOf(status: number, text: string): string {
  try {
    const { error } = JSON.parse(text) as { readonly error?: unknown }
    if (typeof error === 'string') return error
  } catch {
    // Something between us and the host has answered.
  }
  return `the host answered ${status}`
}
