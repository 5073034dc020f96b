/**
 * Finds and opens the files of a document root. A path is checked before it is opened, so that no device or
 * FIFO is touched, and the opened file is checked again by the name that the system has for it: a link that
 * was changed in between leads nowhere else.
 */

import type { Stats } from 'node:fs'
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  statSync,
} from 'node:fs'

/** A path of a file system: text, or bytes if the URL has escapes. */
export type FilePath = string | Buffer

export type Found =
  | { readonly is: 'file'; readonly fd: number; readonly bytes: number; readonly mtimeMs: number }
  /** A directory whose URL lacks the slash at its end. */
  | { readonly is: 'directory' }
  | { readonly is: 'missing' }
  /** There is something that this user, or nobody, may read. */
  | { readonly is: 'forbidden' }
  | { readonly is: 'broken'; readonly detail: string }

const MISSING: Found = { is: 'missing' }
const FORBIDDEN: Found = { is: 'forbidden' }
const DIRECTORY: Found = { is: 'directory' }
const OPEN = constants.O_RDONLY | constants.O_NONBLOCK | (constants.O_NOCTTY ?? 0)
const INDEX_FILES = ['index.html', 'index.htm', 'index.xhtml']
const QUIET = { throwIfNoEntry: false } as const
const HAS_PROC = process.platform === 'linux'

export class DocumentRoot {
  /** Ends in a slash. */
  readonly #root: string
  /** As the system names it, byte by byte. */
  readonly #real: string

  /** Throws if there is no such directory. */
  constructor(root: string) {
    this.#root = root.endsWith('/') ? root : `${root}/`
    this.#real = withSlash(realpathSync.native(root, 'latin1'))
  }

  /** `path`: of a URL, relative to the root, without query, as in a normalised URL. */
  find(path: string): Found {
    const place = this.#placeOf(path)
    if (place === null) return MISSING
    const found = this.#at(place, path === '' || path.endsWith('/'))
    // A disk that is gone holds no files, but that does not mean that the site has none.
    if (found.is === 'missing' && this.#kindOf(this.#root) === 'missing')
      return { is: 'broken', detail: `the directory ${this.#root} is gone` }
    return found
  }

  #at(place: FilePath, isDirectory: boolean): Found {
    try {
      return isDirectory ? this.#openIndex(place) : this.#open(place)
    } catch (error) {
      return problemOf(error)
    }
  }

  #openIndex(place: FilePath): Found {
    for (const name of INDEX_FILES) {
      const found = this.#open(joined(place, name))
      if (found.is === 'file' || found.is === 'forbidden') return found
    }
    return this.#kindOf(place) === 'directory' && this.#isBelow(place) ? FORBIDDEN : MISSING
  }

  #open(path: FilePath): Found {
    const kind = this.#kindOf(path)
    if (kind === 'missing') return MISSING
    // What lies outside is not told apart from what is not there.
    if (kind !== 'file') return !this.#isBelow(path) ? MISSING : kind === 'directory' ? DIRECTORY : FORBIDDEN
    const fd = openSync(path, OPEN)
    let isKept = false
    try {
      const stats = fstatSync(fd)
      if (!stats.isFile() || !this.#holds(fd, path)) return MISSING
      isKept = true
      return { is: 'file', fd, bytes: stats.size, mtimeMs: stats.mtimeMs }
    } finally {
      if (!isKept) closeSync(fd)
    }
  }

  /** What a link leads to counts, as long as that is below the root. */
  #kindOf(path: FilePath): 'file' | 'directory' | 'other' | 'missing' {
    const stats = lstatSync(path, QUIET)
    if (stats === undefined) return 'missing'
    if (!stats.isSymbolicLink()) return kindOf(stats)
    const target = statSync(path, QUIET)
    return target === undefined || !this.#isBelow(path) ? 'missing' : kindOf(target)
  }

  #isBelow(path: FilePath): boolean {
    return this.#covers(realpathSync.native(path, 'latin1'))
  }

  #holds(fd: number, path: FilePath): boolean {
    return HAS_PROC ? this.#covers(readlinkSync(`/proc/self/fd/${fd}`, 'latin1')) : this.#isBelow(path)
  }

  /** Below the root, and no part of the way is hidden: a link could lead to such a file. */
  #covers(real: string): boolean {
    return withSlash(real).startsWith(this.#real) && !hasHiddenPart(real.slice(this.#real.length))
  }

  /** Null for a path that no file is served under. */
  #placeOf(path: string): FilePath | null {
    if (!path.includes('%')) return hasHiddenPart(path) ? null : this.#root + path
    if (/%2f|%00/i.test(path)) return null
    const bytes = path.replace(/%([\da-f]{2})/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    )
    return hasHiddenPart(bytes)
      ? null
      : Buffer.concat([Buffer.from(this.#root), Buffer.from(bytes, 'latin1')])
  }
}

function kindOf(stats: Stats): 'file' | 'directory' | 'other' {
  return stats.isFile() ? 'file' : stats.isDirectory() ? 'directory' : 'other'
}

/** Also `..`, which a normalised URL cannot contain. */
function hasHiddenPart(path: string): boolean {
  return path.charCodeAt(0) === 0x2e || path.includes('/.')
}

function withSlash(path: string): string {
  return path.endsWith('/') ? path : `${path}/`
}

function joined(directory: FilePath, name: string): FilePath {
  return typeof directory === 'string' ? directory + name : Buffer.concat([directory, Buffer.from(name)])
}

function problemOf(error: unknown): Found {
  const { code = '', message } = error as NodeJS.ErrnoException
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
    case 'ENAMETOOLONG':
    case 'ELOOP':
    case 'ERR_INVALID_ARG_VALUE':
      return MISSING
    case 'EACCES':
    case 'EPERM':
    case 'ENXIO':
      return FORBIDDEN
    default:
      return { is: 'broken', detail: `${code} ${message}` }
  }
}
