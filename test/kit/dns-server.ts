import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv4 } from 'node:net'

export type DnsAnswer =
  | { readonly addresses: readonly string[]; readonly ttl?: number }
  | 'nxdomain'
  | 'servfail'
  | 'silent'

const TYPE_A = 1
const TYPE_AAAA = 28
const RCODE = { servfail: 2, nxdomain: 3 } as const

/** A name server on loopback that answers A and AAAA questions from a table. */
export class DnsServer {
  /** `A name` or `AAAA name` of every question, in order. */
  readonly questions: string[] = []
  readonly #socket: Socket
  readonly #answer: (name: string) => DnsAnswer | Promise<DnsAnswer>

  private constructor(socket: Socket, answer: (name: string) => DnsAnswer | Promise<DnsAnswer>) {
    this.#socket = socket
    this.#answer = answer
  }

  static async start(
    answer: (name: string, type: 'A' | 'AAAA') => DnsAnswer | Promise<DnsAnswer>,
  ): Promise<DnsServer> {
    const socket = createSocket('udp4')
    socket.bind(0, '127.0.0.1')
    await once(socket, 'listening')
    const server = new DnsServer(socket, name =>
      answer(name, server.questions.at(-1)?.startsWith('AAAA') ? 'AAAA' : 'A'),
    )
    socket.on('message', (query, from) => void server.#serve(query, from))
    return server
  }

  /** For `--dns`. */
  get address(): string {
    return `127.0.0.1:${this.#socket.address().port}`
  }

  async close(): Promise<void> {
    this.#socket.close()
    await once(this.#socket, 'close')
  }

  async #serve(query: Buffer, from: RemoteInfo): Promise<void> {
    const labels: string[] = []
    let at = 12
    for (let length = query[at]; length > 0; length = query[at]) {
      labels.push(query.toString('latin1', at + 1, at + 1 + length))
      at += 1 + length
    }
    const questionEnd = at + 5
    const type = query.readUInt16BE(at + 1)
    const name = labels.join('.').toLowerCase()
    this.questions.push(`${type === TYPE_AAAA ? 'AAAA' : 'A'} ${name}`)
    const answer = await this.#answer(name)
    if (answer === 'silent') return
    const records = typeof answer === 'string' ? [] : recordsOf(type, answer.addresses, answer.ttl ?? 60)
    const head = Buffer.alloc(12)
    head.writeUInt16BE(query.readUInt16BE(0), 0)
    head.writeUInt16BE(0x8180 | (typeof answer === 'string' ? RCODE[answer] : 0), 2)
    head.writeUInt16BE(1, 4)
    head.writeUInt16BE(records.length, 6)
    this.#socket.send(
      Buffer.concat([head, query.subarray(12, questionEnd), ...records]),
      from.port,
      from.address,
    )
  }
}

function recordsOf(type: number, addresses: readonly string[], ttl: number): Buffer[] {
  return addresses
    .filter(address => isIPv4(address) === (type === TYPE_A))
    .map(address => {
      const data = isIPv4(address) ? Buffer.from(address.split('.').map(Number)) : ipv6Bytes(address)
      const record = Buffer.alloc(12)
      record.writeUInt16BE(0xc00c, 0)
      record.writeUInt16BE(type, 2)
      record.writeUInt16BE(1, 4)
      record.writeUInt32BE(ttl, 6)
      record.writeUInt16BE(data.length, 10)
      return Buffer.concat([record, data])
    })
}

/** Only the forms tests use: groups, and one `::`. */
function ipv6Bytes(address: string): Buffer {
  const [front, back = ''] = address.split('::')
  const words = (text: string): number[] =>
    text === '' ? [] : text.split(':').map(word => Number.parseInt(word, 16))
  const tail = words(back)
  const head = words(front)
  const bytes = Buffer.alloc(16)
  for (const [i, word] of head.entries()) bytes.writeUInt16BE(word, i * 2)
  for (const [i, word] of tail.entries()) bytes.writeUInt16BE(word, 16 - (tail.length - i) * 2)
  return bytes
}
