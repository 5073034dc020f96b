import { normaliseUrl } from '../model/url.js'

const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i
const BARE = /^(localhost|[\w-]+(\.[\w-]+)*\.\w+|\[[\da-f:.]+\]|[\d.]+)(:\d+)?([/?#].*)?$/i
const LOCAL = /^(localhost|127\.|\[)/i

/** A URL as a person types it: a bare host is meant as https, one of this machine as http. Null when it is none. */
export function seedUrl(typed: string): string | null {
  const text = typed.trim()
  if (SCHEME.test(text)) return normaliseUrl(text)
  if (!BARE.test(text)) return null
  return normaliseUrl(`${LOCAL.test(text) ? 'http' : 'https'}://${text}`)
}
