/**
 * The target of an export: a folder or file that does not exist yet or is empty. Existing files are never
 * overwritten.
 */
import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ConfigError } from '../../config/index.js'

/** Makes sure that the folder is there and empty. */
export function claimFolder(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats && !stats.isDirectory())
    throw new ConfigError(`${path} is a file; give a folder that is empty or not there yet with --out`)
  if (stats && readdirSync(path).length > 0)
    throw new ConfigError(`${path} is not empty; give another folder with --out, or remove it first`)
  if (!stats) mkdirSync(path, { recursive: true })
}

/** Refuses a file with something in it. */
export function claimFile(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats?.isDirectory()) throw new ConfigError(`${path} is a folder; give a file with --out`)
  if (stats?.isFile() && stats.size > 0)
    throw new ConfigError(`${path} is there already; give another file with --out, or remove it first`)
}

/** Writes files into a claimed folder. */
export class Folder {
  readonly #root: string
  #lastParent = ''

  constructor(root: string) {
    this.#root = root
  }

  /** `path` is relative, with `/`, and must not have been written before. */
  async write(path: string, content: string | Uint8Array): Promise<void> {
    const full = join(this.#root, path)
    const parent = dirname(full)
    if (parent !== this.#lastParent) {
      await mkdir(parent, { recursive: true })
      this.#lastParent = parent
    }
    await writeFile(full, content, { flag: 'wx' })
  }
}
