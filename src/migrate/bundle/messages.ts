/** The small messages between a home and a host, as JSON over HTTP. */
import type { KeyObject } from 'node:crypto'
import { MOST_CARD_ORIGINS } from '../limits.js'
import { isCount, isListOf, isText, readObject } from './fields.js'
import { isPublicKey, signText, verifyText } from './keys.js'

/** What a host says about itself at `/.well-known/orbweaver.json`. */
export interface HostCard {
  readonly version: 1
  /** Public key. */
  readonly host: string
  readonly name: string
  readonly contact: string
  /** The origins that homes may have crawled here. */
  readonly origins: readonly string[]
}

/** Sent by a home about once a second while a tour is under way. */
export interface Renewal {
  readonly tour: string
  /** The newest nonce that the home has received. */
  readonly nonce: string
  /** How much of the home's lease was left when it sent this. */
  readonly leftMs: number
  /** The last part that the home has; 0: none. */
  readonly have: number
  /** The home wants no further page. */
  readonly stop: boolean
}

export interface Progress {
  readonly tour: string
  readonly state: 'waiting' | 'running' | 'ended'
  /** The number of the last part that can be fetched. */
  readonly parts: number
  readonly judged: number
  readonly kept: number
  /** To be returned with the next renewal. */
  readonly nonce: string
}

const isId = isText(32, /^[0-9a-f]{32}$/)
const isWhole = isCount(0, Number.MAX_SAFE_INTEGER)

export function writeRenewal(renewal: Renewal, privateKey: KeyObject): string {
  const request = JSON.stringify(renewal)
  return JSON.stringify({ request, signature: signText(request, privateKey) })
}

/** Null unless the home with this key has signed it. */
export function readRenewal(text: string, home: string): Renewal | null {
  const signed = readJson<{ request: string; signature: string }>(text, {
    request: isText(2_000),
    signature: isText(100),
  })
  if (signed === null || !verifyText(signed.request, signed.signature, home)) return null
  return readJson<Renewal>(signed.request, {
    tour: isId,
    nonce: isId,
    leftMs: isWhole,
    have: isWhole,
    stop: value => typeof value === 'boolean',
  })
}

export function readProgress(text: string): Progress | null {
  return readJson<Progress>(text, {
    tour: isId,
    state: state => state === 'waiting' || state === 'running' || state === 'ended',
    parts: isWhole,
    judged: isWhole,
    kept: isWhole,
    nonce: isId,
  })
}

export function readHostCard(text: string): HostCard | null {
  return readJson<HostCard>(text, {
    version: version => version === 1,
    host: isPublicKey,
    name: isText(200),
    contact: isText(500),
    origins: isListOf(isText(300), MOST_CARD_ORIGINS),
  })
}

function readJson<T extends object>(text: string, checks: Parameters<typeof readObject<T>>[1]): T | null {
  try {
    const value = readObject<T>(JSON.parse(text), checks)
    return typeof value === 'string' ? null : value
  } catch {
    return null
  }
}
