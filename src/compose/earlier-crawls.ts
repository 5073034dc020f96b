/**
 * The crawls that a crawl goes back to: the one that its `--previous` named, the one before that, and so on.
 * A page that has not changed since lies in the archive of one of them.
 */
import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { EarlierCrawls } from '../data/export/index.js'
import { absolute, CRAWL_FILE, distrustOf, readCrawlFile } from '../runtime/directory/index.js'

/** `named`: where the crawl before the one in `directory` is now, as the user says. */
export function earlierCrawls(directory: string, named?: string): EarlierCrawls {
  const known = [absolute(directory)]
  let trouble = ''
  try {
    for (let next = named ?? previousOf(directory); next !== undefined; ) {
      const found = located(absolute(next), known[known.length - 1])
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

/** A directory from elsewhere does not decide what else is read on this machine. */
function previousOf(directory: string): string | undefined {
  const { previous } = readCrawlFile(directory).config
  if (previous === undefined) return undefined
  const why = distrustOf(directory)
  if (why !== null) throw new Error(why)
  return previous
}

/** Crawls are moved together, so one that is gone is looked for beside the one that came after it. */
function located(directory: string, after: string): string {
  const beside = join(dirname(after), basename(directory))
  const found = [directory, beside].find(path => existsSync(join(path, CRAWL_FILE)))
  if (found === undefined) throw new Error(`the crawl ${directory} is not there`)
  return found
}
