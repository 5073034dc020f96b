/**
 * The crawl directories that this user created or trusts. Each is one small file in the state folder, named
 * by the directory's id and a hash of its settings: the id alone proves nothing, because anybody can copy it.
 */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Millis } from '../model/index.js'
import { readStateFile, stateFile, touchStateFile, writeStateFile } from './state-files.js'

/** Id and settings in crawl.json, or in the ledger's copy of it. Untrusted. */
export interface DirectoryClaim {
  readonly id?: string | undefined
  readonly config: object
}

export type Standing =
  | { readonly at: 'known' }
  | { readonly at: 'unknown' }
  /** Known, but these settings have changed. */
  | { readonly at: 'changed'; readonly settings: readonly string[] }

/** A short hash for each setting, so that a change can be named. */
type Fingerprint = Readonly<Record<string, string>>

interface KnownDirectory {
  /** The path at the last use, or the name of a crawl without a directory here. */
  readonly path: string
  readonly settings: Fingerprint
}

const ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/
const HASH_CHARS = 22

/**
 * Throws the error of the file system if the state folder cannot be written. A copy of a directory does not
 * replace the remembered path of the original.
 */
export function rememberDirectory(path: string, claim: DirectoryClaim, now: Millis): void {
  const settings = fingerprintOf(claim.config)
  const target = entryOf(claim.id, settings)
  if (target === null) throw new TypeError(`${path} has no id`)
  const known = readStateFile<KnownDirectory>(target)
  if (known !== null && (known.path === path || existsSync(known.path))) touchStateFile(target, now)
  else writeStateFile<KnownDirectory>(target, { path, settings })
}

export function standingOf({ id, config }: DirectoryClaim): Standing {
  const settings = fingerprintOf(config)
  const entry = entryOf(id, settings)
  if (entry === null) return { at: 'unknown' }
  if (existsSync(entry)) return { at: 'known' }
  const before = newestOf(dirname(entry), String(id))
  return before === null ? { at: 'unknown' } : { at: 'changed', settings: differences(before, settings) }
}

/** The hash of a guest's module, as shown to the user; null if the file cannot be read. */
export function hashOfFile(path: string): string | null {
  try {
    return createHash('sha256').update(readFileSync(path)).digest('hex')
  } catch {
    return null
  }
}

/** The setting of the guest stands for its code: its hash covers the content of the module. */
function fingerprintOf(config: object): Fingerprint {
  const entries = Object.entries(config).filter(([, value]) => value !== undefined)
  return Object.fromEntries(
    entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, value]) => [key, hashOf(contentOf(key, value))]),
  )
}

function contentOf(key: string, value: unknown): string {
  const text = JSON.stringify(value)
  return key === 'guest' ? `${text} ${hashOfFile(String(value))}` : text
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, HASH_CHARS)
}

/** Null if the id does not have our form: it becomes part of a file name. */
function entryOf(id: unknown, settings: Fingerprint): string | null {
  if (typeof id !== 'string' || !ID.test(id)) return null
  return stateFile('directories', `${id}.${hashOf(JSON.stringify(settings))}`)
}

/** Null if there is none, or it cannot be read: in both cases the user is asked. */
function newestOf(folder: string, id: string): Fingerprint | null {
  const names = existsSync(folder) ? readdirSync(folder) : []
  const [newest] = names
    .filter(name => name.startsWith(`${id}.`) && name.endsWith('.json'))
    .map(name => join(folder, name))
    .sort((a, b) => changedAt(b) - changedAt(a))
  return newest === undefined ? null : (readStateFile<KnownDirectory>(newest)?.settings ?? null)
}

function changedAt(path: string): Millis {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
}

function differences(before: Fingerprint, now: Fingerprint): string[] {
  const keys = new Set([...Object.keys(before), ...Object.keys(now)])
  return [...keys].filter(key => before[key] !== now[key]).sort()
}
