/** Blacklist entries as people write them: names, `*.name`, host:port, URLs, or `@FILE` with such lines. */
import { readFileSync } from 'node:fs'
import { normaliseUrl, siteOf } from '../model/url/index.js'

/** Normalises the names for comparison with hosts. Throws a TypeError with one line. */
export function readBlacklist(entries: readonly string[]): string[] {
  return [
    ...new Set(
      entries.flatMap(entry => (entry.startsWith('@') ? linesOf(entry.slice(1)) : [entry])).map(hostName),
    ),
  ]
}

function linesOf(path: string): string[] {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    throw new TypeError(`the blacklist ${path} cannot be read`)
  }
  return text
    .split(/\r?\n/)
    .map(line => line.replace(/#.*/, '').trim())
    .filter(line => line !== '')
}

function hostName(entry: string): string {
  const name = entry.trim().replace(/^(?:\*?\.)/, '')
  const url = normaliseUrl(/^https?:\/\//i.test(name) ? name : `http://${name}`)
  if (url !== null && /^[^\s/@]+$/.test(siteOf(url))) return siteOf(url).replace(/\.(?=:|$)/, '')
  throw new TypeError(`"${entry}" is not a host or a domain`)
}
