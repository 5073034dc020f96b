/** Writes request heads. All but target, host and validators is prepared once. */
import type { MetaInfo } from '../../../model/index.js'
import { siteOf, targetOf } from '../../../model/url/index.js'
import { isSendable, validatorLines } from './conditional.js'

const ACCEPT = 'text/html,application/xhtml+xml,*/*;q=0.8'
const ACCEPT_ENCODING = 'gzip, deflate, br'
/** Set by the crawler, or secret: headers go to every host, and credentials must not. */
const RESERVED = new Set([
  ...['host', 'connection', 'keep-alive', 'content-length', 'transfer-encoding', 'te', 'upgrade', 'expect'],
  ...['range', 'accept-encoding', 'user-agent', 'if-none-match', 'if-modified-since'],
  ...['cookie', 'authorization', 'proxy-authorization'],
])

export class RequestHeads {
  readonly #fixed: string

  /** Throws on an invalid header, so that a crawl does not start with it. */
  constructor(userAgent: string, headers: Readonly<Record<string, string>> = {}) {
    const lines = [`User-Agent: ${checked('User-Agent', userAgent)}`]
    const extra = Object.entries(headers)
    if (!extra.some(([name]) => name.toLowerCase() === 'accept')) lines.push(`Accept: ${ACCEPT}`)
    for (const [name, value] of extra) {
      if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name) || RESERVED.has(name.toLowerCase())) {
        throw new TypeError(`the request header "${name}" cannot be set`)
      }
      lines.push(`${name}: ${checked(name, value)}`)
    }
    this.#fixed = `${lines.join('\r\n')}\r\nAccept-Encoding: ${ACCEPT_ENCODING}\r\n`
  }

  /** `url` must be normalised, so that it cannot contain a line break. */
  build(url: string, known: MetaInfo | undefined): Buffer {
    const target = targetOf(url)
    if (/[^\x21-\x7e]/.test(target)) throw new TypeError('the URL is not normalised')
    let head = `GET ${target} HTTP/1.1\r\nHost: ${siteOf(url)}\r\n${this.#fixed}`
    if (known !== undefined) head += validatorLines(known)
    return Buffer.from(`${head}\r\n`, 'latin1')
  }
}

function checked(name: string, value: string): string {
  if (!isSendable(value)) throw new TypeError(`the value of the request header "${name}" cannot be sent`)
  return value
}
