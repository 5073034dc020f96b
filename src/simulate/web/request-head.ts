/** The fields of a request head that the server of the generated web needs. */
export interface RequestHead {
  readonly method: string
  /** Path and query. */
  readonly target: string
  /** From the Host header, or from an absolute target as sent to proxies. */
  readonly host: string
  readonly http11: boolean
  readonly keepAlive: boolean
  readonly ifNoneMatch: string
  readonly ifModifiedSince: string
  /** A body follows, which the server does not read. */
  readonly hasBody: boolean
}

/** `text` is the head without its final empty line. Null if it is no request. */
export function parseRequestHead(text: string): RequestHead | null {
  const lineEnd = text.indexOf('\r\n')
  const line = lineEnd < 0 ? text : text.slice(0, lineEnd)
  const first = line.indexOf(' ')
  const last = line.lastIndexOf(' ')
  const version = line.slice(last + 1)
  if (first <= 0 || last <= first || (version !== 'HTTP/1.1' && version !== 'HTTP/1.0')) return null
  const fields = { host: '', connection: '', ifNoneMatch: '', ifModifiedSince: '', hasBody: false }
  if (lineEnd >= 0 && !readFields(text, lineEnd + 2, fields)) return null
  const http11 = version === 'HTTP/1.1'
  const keepAlive = http11 ? !fields.connection.includes('close') : fields.connection.includes('keep-alive')
  const asked = line.slice(first + 1, last)
  const absolute = asked.startsWith('http://')
  const slash = absolute ? asked.indexOf('/', 7) : 0
  const target = absolute ? (slash < 0 ? '/' : asked.slice(slash)) : asked
  if (target.charCodeAt(0) !== 0x2f) return null
  const host = absolute ? asked.slice(7, slash < 0 ? undefined : slash) : fields.host
  const { ifNoneMatch, ifModifiedSince, hasBody } = fields
  const method = line.slice(0, first)
  return { method, target, host, http11, keepAlive, ifNoneMatch, ifModifiedSince, hasBody }
}

type Fields = { connection: string } & {
  -readonly [K in 'host' | 'ifNoneMatch' | 'ifModifiedSince' | 'hasBody']: RequestHead[K]
}

/** False if a line is no header field. */
function readFields(text: string, from: number, fields: Fields): boolean {
  for (let start = from; start < text.length; ) {
    const found = text.indexOf('\r\n', start)
    const end = found < 0 ? text.length : found
    const colon = text.indexOf(':', start)
    if (colon <= start || colon > end) return false
    setField(fields, text.slice(start, colon).toLowerCase(), text.slice(colon + 1, end).trim())
    start = end + 2
  }
  return true
}

function setField(fields: Fields, name: string, value: string): void {
  if (name === 'host') fields.host = value
  else if (name === 'connection' || name === 'proxy-connection') fields.connection = value.toLowerCase()
  else if (name === 'if-none-match') fields.ifNoneMatch = value
  else if (name === 'if-modified-since') fields.ifModifiedSince = value
  else if (name === 'content-length') fields.hasBody ||= value !== '0'
  else if (name === 'transfer-encoding') fields.hasBody = true
}
