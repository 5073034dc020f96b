/**
 * The files of the state folder. Each belongs to one crawl directory and names it as `path`. They are small,
 * replaced as a whole, and readable by this user only. A file that was not used for a month is removed if its
 * directory is gone; this is checked at most once a day.
 */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import type { Millis } from '../model/index.js'
import { stateFolder } from './state-folder.js'

const FOLDERS = ['directories', 'checked'] as const
const STAMP = 'pruned'
const DRAFT = '.tmp'
const DAY: Millis = 24 * 3_600_000
/** A directory may be on a disk that is not mounted at the moment. */
const UNUSED: Millis = 30 * DAY

export function stateFile(folder: (typeof FOLDERS)[number], name: string): string {
  return join(stateFolder(), folder, `${name}.json`)
}

/** Throws the errors of the file system. */
export function writeStateFile<T extends { readonly path: string }>(path: string, content: T): void {
  replaceFile(path, `${JSON.stringify(content)}\n`)
}

function replaceFile(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const draft = `${path}.${process.pid}${DRAFT}`
  try {
    writeFileSync(draft, text, { mode: 0o600 })
    renameSync(draft, path)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}

/** Null if the file is absent or damaged: its content is computed again, or the user is asked. */
export function readStateFile<T extends { readonly path: string }>(path: string): T | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as T
  } catch {
    return null
  }
}

/** Keeps the file for another month. */
export function touchStateFile(path: string, now: Millis): void {
  utimesSync(path, now / 1_000, now / 1_000)
}

/** Throws the errors of the file system. */
export function pruneState(now: Millis): void {
  const stamp = join(stateFolder(), STAMP)
  if (!isOlder(stamp, now, DAY)) return
  replaceFile(stamp, '')
  touchStateFile(stamp, now)
  for (const folder of FOLDERS.map(name => join(stateFolder(), name)))
    for (const name of existsSync(folder) ? readdirSync(folder) : []) {
      const path = join(folder, name)
      if (isOlder(path, now, UNUSED) && isUseless(path)) rmSync(path, { force: true })
    }
}

/** Also true for an absent file. */
function isOlder(path: string, now: Millis, age: Millis): boolean {
  const changed = statSync(path, { throwIfNoEntry: false })?.mtimeMs
  return changed === undefined || changed < now - age
}

/** The `path` of a crawl without a local directory is not absolute: its file stays. */
function isUseless(path: string): boolean {
  const directory = path.endsWith(DRAFT) ? undefined : readStateFile(path)?.path
  return directory === undefined || (isAbsolute(directory) && !existsSync(directory))
}
