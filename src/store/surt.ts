/**
 * Sort-friendly URI: `http://www.Example.org:8080/A?b=2&a=1` becomes `org,example:8080)/a?a=1&b=2`. As pywb and
 * warcio key their indexes: scheme and `www.` dropped, host turned round, everything in lower case, query sorted.
 */
const WWW = /^www\d*\./

/** `url` must be normalised. */
export function surt(url: string): string {
  const text = url.toLowerCase()
  const hostStart = text.indexOf('/') + 2
  const pathStart = text.indexOf('/', hostStart)
  const authority = text.slice(hostStart, pathStart)
  let key = keys.get(authority)
  if (key === undefined) {
    if (keys.size >= KEYS_MAX) keys.clear()
    key = authorityKey(authority)
    keys.set(authority, key)
  }
  return key + sortedQuery(text.slice(pathStart))
}

/** A crawl asks the same sites again and again. */
const keys = new Map<string, string>()
const KEYS_MAX = 10_000

function authorityKey(text: string): string {
  const authority = text.replace(WWW, '')
  const colon = authority.lastIndexOf(':')
  const hasPort = colon > authority.lastIndexOf(']')
  const host = hasPort ? authority.slice(0, colon) : authority
  const port = hasPort ? authority.slice(colon) : ''
  return `${reversed(host)}${port})`
}

function reversed(host: string): string {
  let end = host.length
  let result = ''
  for (let dot = host.lastIndexOf('.'); dot >= 0; dot = dot === 0 ? -1 : host.lastIndexOf('.', dot - 1)) {
    result += `${host.slice(dot + 1, end)},`
    end = dot
  }
  return result + host.slice(0, end)
}

function sortedQuery(target: string): string {
  const mark = target.indexOf('?')
  if (mark < 0) return target
  if (mark === target.length - 1) return target.slice(0, mark)
  if (!target.includes('&', mark)) return target
  const parts = target.slice(mark + 1).split('&')
  return `${target.slice(0, mark)}?${parts.sort().join('&')}`
}
