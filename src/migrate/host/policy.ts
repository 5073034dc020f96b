/**
 * The folder of a host: its key, its policy, the ids it has accepted, its audit log. The policy is a JSON
 * file that the owner may edit; it is read again for every bundle.
 */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from '../../config/index.js'
import { readTextFile, syncDirectory, writeFileAtomically } from '../../files/index.js'
import { LIMITS } from '../../model/index.js'
import {
  type FieldChecks,
  isCount,
  isListOf,
  isPublicKey,
  isText,
  type KeyPair,
  newKeyPair,
  readObject,
  readPrivateKey,
} from '../bundle/index.js'
import { DEFAULT_HOST_DELAY_MS, DEFAULT_TOUR_READ_BYTES, MOST_HOMES } from '../limits.js'

export interface AllowedHome {
  readonly key: string
  readonly name: string
  /** For one tour. */
  readonly maxPages: number
  readonly maxReadBytes: number
  readonly delayMs: number
}

export interface Policy {
  /** Shown to homes and visitors. */
  readonly name: string
  readonly contact: string
  readonly homes: readonly AllowedHome[]
}

export interface HostFolder {
  readonly path: string
  readonly keys: KeyPair
  policy(): Policy
}

const KEY_FILE = 'host.key'
const POLICY_FILE = 'policy.json'

const HOME_CHECKS: FieldChecks<AllowedHome> = {
  key: isPublicKey,
  name: isText(200),
  maxPages: isCount(1, LIMITS.pagesPerSite),
  maxReadBytes: isCount(1, Number.MAX_SAFE_INTEGER),
  delayMs: isCount(0, LIMITS.crawlDelayMaxMs),
}

/** Creates the folder with a new key and an empty policy; returns the public key. */
export function initHost(path: string, name: string, contact: string): string {
  if (existsSync(join(path, KEY_FILE))) throw new ConfigError(`${path} is the folder of a host already`)
  mkdirSync(path, { recursive: true, mode: 0o700 })
  const keys = newKeyPair()
  writeFileSync(join(path, KEY_FILE), keys.pem, { mode: 0o600, flag: 'wx' })
  chmodSync(join(path, KEY_FILE), 0o600)
  writePolicy(path, { name, contact, homes: [] })
  syncDirectory(path)
  return keys.publicKey
}

export function openHost(path: string): HostFolder {
  let pem: string
  try {
    pem = readFileSync(join(path, KEY_FILE), 'utf8')
  } catch {
    throw new ConfigError(`${path} is not the folder of a host; create one with: orbweaver host init`)
  }
  const keys = readPrivateKey(pem)
  if (keys === null) throw new ConfigError(`${join(path, KEY_FILE)} is not an Ed25519 key in PEM`)
  return { path, keys, policy: () => readPolicy(path) }
}

/** Adds a home, or changes what it may do. */
export function allowHome(path: string, key: string, more: Partial<Omit<AllowedHome, 'key'>>): AllowedHome {
  const { policy } = openHost(path)
  const { homes, ...rest } = policy()
  const usual = { name: '', maxPages: LIMITS.pagesPerSite, maxReadBytes: DEFAULT_TOUR_READ_BYTES }
  const before = homes.find(home => home.key === key)
  const home = { ...usual, delayMs: DEFAULT_HOST_DELAY_MS, ...before, ...more, key }
  const wrong = readObject<AllowedHome>(home, HOME_CHECKS)
  if (typeof wrong === 'string') throw new ConfigError(`this home cannot be allowed: ${wrong}`)
  if (before === undefined && homes.length >= MOST_HOMES)
    throw new ConfigError(`the policy has ${MOST_HOMES} homes already`)
  writePolicy(path, { ...rest, homes: [...homes.filter(other => other.key !== key), home] })
  return home
}

function readPolicy(path: string): Policy {
  const file = join(path, POLICY_FILE)
  let value: unknown
  try {
    value = JSON.parse(readTextFile(file))
  } catch (error) {
    throw new ConfigError(`${file} cannot be read: ${(error as Error).message}`)
  }
  const isHome = (home: unknown) => typeof readObject<AllowedHome>(home, HOME_CHECKS) !== 'string'
  const policy = readObject<Policy>(value, {
    name: isText(200),
    contact: isText(500),
    homes: isListOf(isHome, MOST_HOMES),
  })
  if (typeof policy === 'string') throw new ConfigError(`${file}: ${policy}`)
  return policy
}

function writePolicy(path: string, policy: Policy): void {
  writeFileAtomically(join(path, POLICY_FILE), `${JSON.stringify(policy, null, 2)}\n`)
}
