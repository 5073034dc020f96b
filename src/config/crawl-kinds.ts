/** Readers of values that only a few settings have: the value as given in, its meaning or a TypeError out. */
import { isIP } from 'node:net'
import { LIMITS, readTraps, TRAP_RULES } from '../model/index.js'
import { normaliseUrl, readPostgresUrl } from '../model/url/index.js'
import { checkGraphSetting } from './graph-settings.js'
import { bytes, list, positive, text } from './kinds.js'
import { checkPhaseSetting } from './phase-settings.js'
import { wholeSource } from './sources.js'

/** Reads a text that is right; `rule` is the rest of the error otherwise. */
const textWith =
  (isRight: (form: string) => boolean, rule: string) =>
  (value: unknown, name: string): string => {
    const form = text(value, name)
    if (isRight(form)) return form
    throw new TypeError(`${name} must be ${rule}`)
  }

/** Reads a text in which `wrongIn` finds nothing wrong; the errors leave out the value. */
const textWithout =
  (wrongIn: (form: string) => string | null) =>
  (value: unknown, name: string): string => {
    const form = text(value, name)
    const wrong = wrongIn(form)
    if (wrong === null) return form
    throw new TypeError(`${name}: ${wrong}`)
  }

export const archive = textWith(
  form => /^(gzip(:[1-9])?|zstd(:([1-9]|1[0-9]))?|none)$/.test(form),
  'gzip, gzip:LEVEL (1-9), zstd, zstd:LEVEL (1-19) or none',
)

export const delay = (value: unknown, name: string): 'auto' | number => {
  const number = Number(value)
  if (value === 'auto') return 'auto'
  if (value !== '' && Number.isFinite(number) && number >= 0) return number
  throw new TypeError(`${name} must be milliseconds or "auto"`)
}

export const resolution = textWith(form => /^[^=]+=[^=]+$/.test(form), 'HOST=ADDR or HOST=ADDR:PORT')

export const nameServer = textWith(form => {
  const bracketed = /^\[([^\]]+)\](?::(\d+))?$/.exec(form) ?? /^([^:]+)(?::(\d+))?$/.exec(form)
  const [, address = form, port = '53'] = bracketed ?? []
  return isIP(address) !== 0 && Number(port) >= 1 && Number(port) <= 65_535
}, 'the address of a name server, ADDR or ADDR:PORT')

export const network = textWith(form => {
  const [address, bits, ...rest] = form.split('/')
  const most = [0, 0, 0, 0, 32, 0, 128][isIP(address)]
  return most > 0 && rest.length === 0 && (bits === undefined || (/^\d+$/.test(bits) && Number(bits) <= most))
}, 'an address or a network such as 10.1.0.0/16')

export const bodySize = (value: unknown, name: string): number => {
  const read = Math.floor(bytes(value, name))
  if (read <= LIMITS.bodyBytesInFlight) return read
  throw new TypeError(`${name} must be at most ${LIMITS.bodyBytesInFlight / 1024 ** 2}Mi`)
}

export const seconds =
  (max: number) =>
  (value: unknown, name: string): number => {
    const read = positive(value, name)
    if (read <= max) return read
    throw new TypeError(`${name} must be at most ${max} seconds`)
  }

export const positiveOrZero = (value: unknown, name: string): number =>
  value === 0 || value === '0' ? 0 : positive(value, name)

export const splitting = (value: unknown, name: string): 'auto' | 'off' | number => {
  if (value === 'auto' || value === 'off') return value
  const most = Number(value)
  if (value !== '' && Number.isInteger(most) && most >= 2) return most
  throw new TypeError(`${name} must be auto, off, or a number of URLs from 2 on`)
}

export const address = textWith(form => isIP(form) > 0, 'an IP address')

/** The message leaves out the value, which may contain a password. */
export const ledger = textWithout(form => {
  const place = readPostgresUrl(form)
  return typeof place === 'string' ? place : null
})

export const phaseSetting = textWithout(checkPhaseSetting)
export const graphSetting = textWithout(checkGraphSetting)

/** A number of parts (`4`), or their shares (`2:1:1`). */
export const parts = (value: unknown, name: string): number | readonly number[] => {
  if (Array.isArray(value)) return parts(value.length === 1 ? `${value[0]}:` : value.join(':'), name)
  const form = text(typeof value === 'number' ? String(value) : value, name)
  const numbers = form
    .split(':')
    .filter(part => part !== '')
    .map(Number)
  const [first = 0] = numbers
  if (!form.includes(':') && Number.isInteger(first) && first >= 1 && first <= 1_000) return first
  if (form.includes(':') && numbers.length <= 1_000 && numbers.every(share => share > 0)) return numbers
  throw new TypeError(`${name} must be a number of parts, or shares such as 2:1:1`)
}

export const sitemap = (value: unknown, name: string): string => {
  const form = text(value, name)
  const url = form === 'robots' || form === 'none' ? form : normaliseUrl(form)
  if (url !== null) return url
  throw new TypeError(`${name} must be the URL of a sitemap, "robots" or "none"`)
}

export const source = (value: unknown, name: string): string => {
  try {
    return wholeSource(text(value, name))
  } catch (error) {
    throw new TypeError(`${name}: ${(error as Error).message}`)
  }
}

export const traps = (value: unknown, name: string): readonly string[] => {
  const words = list(text)(value, name)
  if (readTraps(words) !== null) return words
  throw new TypeError(`${name} must be all, none, or a list of ${Object.keys(TRAP_RULES).join(', ')}`)
}

/** The host of a site: where its runtime is, and its key if the user knows it. */
interface RuntimePlace {
  readonly origin: string
  /** Origin of the server that passes `/.well-known/orbweaver/` on. */
  readonly runtime: string
  readonly key: string | null
}

/** Null unless it looks like `https://example.org=https://example.org#ed25519:KEY`; the key may be absent. */
export function readRuntime(text: string): RuntimePlace | null {
  const [, site = '', runtime = '', key] =
    /^(https?:\/\/[^/=#]+)\/?=(https?:\/\/[^/=#]+)\/?(?:#(ed25519:[A-Za-z0-9_-]{43}))?$/.exec(text) ?? []
  const [origin, server] = [site, runtime].map(each => normaliseUrl(each)?.slice(0, -1) ?? '')
  if (!origin || !server || /[/?]/.test(origin.slice(8) + server.slice(8))) return null
  return { origin, runtime: server, key: key ?? null }
}

export const runtime = (value: unknown, name: string): string => {
  const place = text(value, name)
  if (readRuntime(place) !== null) return place
  throw new TypeError(`${name} must be SITE=URL, such as https://example.org=https://example.org`)
}
