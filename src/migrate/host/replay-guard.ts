/**
 * Accepts the id of a bundle once, also after a crash: an empty file per id, created exclusively and flushed
 * before the tour begins, so that not even two processes can accept the same bundle. An id is forgotten when
 * its bundle has expired and is refused for that.
 */
import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { syncDirectory } from '../../files/index.js'
import type { Millis } from '../../model/index.js'
import { MOST_ACCEPTED } from '../limits.js'

const NAME = /^(\d{1,16})-[0-9a-f]{32}$/

export class ReplayGuard {
  readonly #folder: string
  readonly #most: number

  constructor(folder: string, most: number = MOST_ACCEPTED) {
    this.#folder = folder
    this.#most = most
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  }

  /**
   * `full`: as many bundles as a host remembers have not expired yet. Throws if the disk fails: then nothing
   * is accepted.
   */
  accept(id: string, expires: Millis, now: Millis): 'new' | 'known' | 'full' {
    const names = readdirSync(this.#folder)
    // By id alone: a bundle cannot be signed again with another expiry by anyone but its home.
    if (names.some(name => name.endsWith(`-${id}`))) return 'known'
    const kept = names.filter(name => !this.#forget(name, now))
    if (kept.length >= this.#most) return 'full'
    try {
      const file = openSync(join(this.#folder, `${Math.ceil(expires)}-${id}`), 'wx', 0o600)
      fsyncSync(file)
      closeSync(file)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return 'known'
      throw error
    }
    syncDirectory(this.#folder)
    return 'new'
  }

  #forget(name: string, now: Millis): boolean {
    const expires = NAME.exec(name)?.[1]
    if (expires === undefined || Number(expires) > now) return false
    rmSync(join(this.#folder, name), { force: true })
    return true
  }
}
