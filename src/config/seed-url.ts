import { normaliseUrl } from '../model/url/index.js'

const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i
const BARE = /^(localhost|[\w-]+(\.[\w-]+)*\.\w+|[\w-]+(?=:\d)|\[[\da-f:.]+\]|[\d.]+)(:\d+)?([/?#].*)?$/i
const SCHEME_OF_PORT: ReadonlyMap<number, string> = new Map([
  [80, 'http'],
  [443, 'https'],
])
const LOCAL = /^(localhost|127\.|\[)/i

/**
 * A URL as a person types it; null if it is none. A bare host means https, or http for this machine; port 80
 * means http, port 443 https.
 */
export function seedUrl(typed: string): string | null {
  const text = typed.trim()
  if (SCHEME.test(text)) return normaliseUrl(text)
  const bare = BARE.exec(text)
  if (bare === null) return null
  const scheme = SCHEME_OF_PORT.get(Number(bare[3]?.slice(1))) ?? (LOCAL.test(text) ? 'http' : 'https')
  return normaliseUrl(`${scheme}://${text}`)
}
