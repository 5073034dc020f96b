/** A capture as an answer over HTTP: the recorded head, framed anew. */
import type { Exchange } from '../../model/index.js'

import type { FetchResult } from '../../page/fetch/index.js'

export interface SnapshotReply {
  readonly status: number
  readonly reason: string
  /** Name, value, name, value, … */
  readonly headers: readonly string[]
  readonly body: Buffer
  /** The recorded response ended inside its body, so this one does too. */
  readonly breaksOff: boolean
}

/** About the connection that was recorded, or replaced here. */
const DROPPED = new Set([
  ...['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'trailer', 'upgrade'],
  ...['proxy-connection', 'x-archive-orig-transfer-encoding', 'x-archive-orig-headers'],
])
const NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/
const NOT_HERE: SnapshotReply = {
  status: 404,
  reason: 'Not in the snapshot',
  headers: ['Content-Type', 'text/plain', 'Content-Length', '0'],
  body: Buffer.alloc(0),
  breaksOff: false,
}

/** `accepted`: the Accept-Encoding of the request. */
export function replyTo(result: FetchResult | null, accepted: string): SnapshotReply {
  const exchange = result?.exchange
  if (exchange === undefined) return NOT_HERE
  const encoding = exchange.header('content-encoding') ?? ''
  const isKept = encoding === '' || result?.ok === false || accepts(accepted, encoding)
  const body = isKept ? exchange.payload : exchange.body
  const breaksOff = exchange.truncated === 'disconnect' || exchange.truncated === 'time'
  const isBodyless = exchange.status === 204 || exchange.status === 304
  // A length that is not kept makes the client see that the body is cut.
  const length = isBodyless ? [] : ['Content-Length', String(body.length + (breaksOff ? 1 : 0))]
  const headers = linesOf(exchange).filter(([name]) => isKept || name.toLowerCase() !== 'content-encoding')
  return {
    status: exchange.status,
    reason: reasonOf(exchange),
    headers: [...headers.flat(), ...length],
    body,
    breaksOff,
  }
}

function accepts(accepted: string, encoding: string): boolean {
  const wanted = accepted
    .toLowerCase()
    .split(',')
    .map(part => part.split(';', 1)[0].trim())
  return encoding
    .toLowerCase()
    .split(',')
    .every(coding => wanted.includes(coding.trim()) || wanted.includes('*'))
}

function reasonOf({ responseHead }: Exchange): string {
  const line = responseHead.toString('latin1', 0, responseHead.indexOf(10)).trim()
  return line
    .split(' ')
    .slice(2)
    .join(' ')
    .replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '')
}

/** The header fields that can be sent. */
function linesOf(exchange: Exchange): (readonly [string, string])[] {
  const { responseHead } = exchange
  if (responseHead.length === 0) return fieldsOfFile(exchange)
  const text = responseHead.toString('latin1')
  const lines = text
    .replaceAll(/\r?\n[ \t]+/g, ' ')
    .split(/\r?\n/)
    .slice(1)
  return lines.flatMap(line => {
    const colon = line.indexOf(':')
    const name = line.slice(0, colon).trim()
    const value = line.slice(colon + 1).trim()
    if (colon < 0 || !NAME.test(name) || DROPPED.has(name.toLowerCase())) return []
    return /^[\t\x20-\x7e\x80-\xff]*$/.test(value) ? [[name, value] as const] : []
  })
}

function fieldsOfFile(exchange: Exchange): (readonly [string, string])[] {
  return ['Content-Type', 'ETag', 'Last-Modified', 'Location'].flatMap(name => {
    const value = exchange.header(name.toLowerCase())
    return value === undefined ? [] : [[name, value] as const]
  })
}
