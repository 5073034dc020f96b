/**
 * The crawls before a crawl: the one that its `--previous` named, the one before that, and so on. The body of
 * a page that has not changed since is in the archive of one of them.
 */
import { existsSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'

export interface EarlierCrawls {
  /** Directories, the newest first. */
  readonly directories: readonly string[]
  /** Why the list ends at a crawl that is missing or may not be read; empty if it is complete. */
  readonly trouble: string
}

export const NO_EARLIER: EarlierCrawls = { directories: [], trouble: '' }

/**
 * `named` is the directory of the previous crawl, if the user gives it. `previousOf` returns the directory
 * that a crawl.json names as its previous crawl; it throws if that may not be followed.
 */
export function earlierCrawls(
  directory: string,
  named: string | undefined,
  previousOf: (directory: string) => string | undefined,
): EarlierCrawls {
  const known = [resolve(directory)]
  let trouble = ''
  try {
    for (let next = named ?? previousOf(directory); next !== undefined; ) {
      const found = locate(resolve(next), known[known.length - 1])
      if (known.includes(found)) break
      known.push(found)
      next = previousOf(found)
    }
  } catch (error) {
    trouble = (error as Error).message
    if (known.length === 1) trouble += '; say where the previous crawl is with --previous DIR'
  }
  return { directories: known.slice(1), trouble }
}

/** Crawls are often moved together, so a missing one is looked for beside the crawl that followed it. */
function locate(directory: string, after: string): string {
  const beside = join(dirname(after), basename(directory))
  const found = [directory, beside].find(path => existsSync(join(path, 'crawl.json')))
  if (found === undefined) throw new Error(`the crawl ${directory} is not there`)
  return found
}
