/**
 * Paths inside a crawl directory, which may come from somebody else and must not lead to files outside. A
 * command searches the directory for symbolic links when it opens it; files are opened without following
 * links; stored names become paths only here.
 */
import { closeSync, constants, lstatSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { UntrustedError } from '../config/index.js'
import { isInsideName } from '../model/url/index.js'

const { O_RDONLY, O_RDWR, O_WRONLY, O_APPEND, O_CREAT, O_TRUNC } = constants
/** Windows has no such flag; creating a link there needs a special right. */
const O_NOFOLLOW = constants.O_NOFOLLOW ?? 0

/** The modes of `open` for files of a crawl directory. */
export const OPEN = {
  read: O_RDONLY | O_NOFOLLOW,
  change: O_RDWR | O_NOFOLLOW,
  create: O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW,
  append: O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW,
  noFollow: O_NOFOLLOW,
} as const

/** Scratch of a run: it is removed before use. */
const SCRATCH = 'frontier'

/** Throws an UntrustedError if `directory` contains anything but files and folders. */
export function refuseLinks(directory: string): void {
  for (const folders = [directory]; ; ) {
    const folder = folders.pop()
    if (folder === undefined) return
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) {
        if (entry.name !== SCRATCH) folders.push(path)
      } else if (!entry.isFile()) throw notPlain(path)
    }
  }
}

/** A running crawl may remove a folder meanwhile. */
function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** The path of a stored `name`; the file may be absent. Throws an UntrustedError if it leads outside. */
export function pathInside(directory: string, name: string): string {
  if (!isInsideName(name))
    throw new UntrustedError(`${directory} names a file outside of itself: ${JSON.stringify(name)}`, false)
  let path = directory
  for (const part of name.split('/')) {
    path = join(path, part)
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (stats && !stats.isFile() && !stats.isDirectory()) throw notPlain(path)
  }
  return path
}

export function readTextFile(path: string): string {
  return readSmallFile(path).toString('utf8')
}

export function readSmallFile(path: string): Buffer {
  const file = openSync(path, OPEN.read)
  try {
    return readFileSync(file)
  } finally {
    closeSync(file)
  }
}

function notPlain(path: string): UntrustedError {
  const what = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()
    ? 'a symbolic link'
    : 'a special file'
  return new UntrustedError(
    `${path} is ${what}: a crawl directory may hold only regular files and folders; replace it by the real one`,
    false,
  )
}
