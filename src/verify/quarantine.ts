/** Keeps damaged files: repair deletes nothing. */
import { appendFileSync, copyFileSync, existsSync, linkSync, lstatSync, mkdirSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { ConfigError } from '../config/index.js'
import { locateFile } from '../data/store/index.js'
import { syncDirectory } from '../files/index.js'

const FOLDER = 'quarantine'
const NOTE = 'NOTE.txt'

/** A folder for each repair, created with its first file. */
export class Quarantine {
  readonly #directory: string
  /** Relative to the crawl directory. */
  readonly folder: string
  #files = 0

  constructor(directory: string, now: number) {
    this.#directory = directory
    const stamp = new Date(now).toISOString().replaceAll(/[-:.]/g, '')
    this.folder = `${FOLDER}/${stamp}`
  }

  get isUsed(): boolean {
    return this.#files > 0
  }

  /** Links the file into the folder. It stays in its place until it is replaced. */
  keep(name: string, why: string): void {
    const path = locateFile(this.#directory, name)
    if (path === null) return
    const to = join(this.#directory, this.folder, relative(this.#directory, path))
    mkdirSync(dirname(to), { recursive: true })
    if (!existsSync(to)) linkOrCopy(path, to)
    appendFileSync(join(this.#directory, this.folder, NOTE), `${name}: ${why}\n`)
    for (let folder = dirname(to); folder !== this.#directory; folder = dirname(folder)) syncDirectory(folder)
    this.#files++
  }
}

/** Not every file system has hard links. */
function linkOrCopy(path: string, to: string): void {
  try {
    linkSync(path, to)
  } catch {
    copyFileSync(path, to)
  }
}

const OURS = /^(?:archive|tables\/(?:pages|links|sites)|learned)\/[^/\\]+$/
const FOLDERS = [
  'archive',
  'tables',
  'tables/pages',
  'tables/links',
  'tables/items',
  'tables/sites',
  'learned',
  FOLDER,
]

/** Refuses names and links that lead outside of a directory, which may come from elsewhere. */
export function refuseOutside(directory: string, names: readonly string[]): void {
  for (const name of names)
    if (!OURS.test(name) || /(?:^|\/)\.\.?$/.test(name))
      throw new ConfigError(`${directory} names a file that no crawl has: ${name}`)
  for (const name of [...FOLDERS, ...names]) {
    const stats = lstatSync(join(directory, name), { throwIfNoEntry: false })
    if (stats?.isSymbolicLink())
      throw new ConfigError(`${join(directory, name)} is a symbolic link, which repair does not follow`)
  }
}
