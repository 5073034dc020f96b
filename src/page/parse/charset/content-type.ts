/** A parsed Content-Type header. */
export interface ContentType {
  /** `text/html`, in lower case; empty if missing or invalid. */
  readonly essence: string
  /** The charset parameter as written. */
  readonly charset: string | undefined
}

const NONE: ContentType = { essence: '', charset: undefined }

/** Cached: a site sends the same few values with every page. */
const known = new Map<string, ContentType>()
const KNOWN_MAX = 256
const HEADER_CHARS = 512

export function readContentType(header: string | undefined): ContentType {
  if (header === undefined || header.length > HEADER_CHARS) return NONE
  const remembered = known.get(header)
  if (remembered !== undefined) return remembered
  const type = parse(header)
  if (known.size >= KNOWN_MAX) known.clear()
  known.set(header, type)
  return type
}

function parse(header: string): ContentType {
  const semicolon = header.indexOf(';')
  const essence = (semicolon < 0 ? header : header.slice(0, semicolon)).trim().toLowerCase()
  const valid = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(essence)
  const charset = /;\s*charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;]+))/i.exec(header)
  return {
    essence: valid ? essence : '',
    charset: charset === null ? undefined : (charset[1] ?? charset[2] ?? charset[3]),
  }
}
