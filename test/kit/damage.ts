/** Damage as disks and people do it, and rows to compare a repaired crawl with the sound one. */
import { readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openTables } from '../../src/data/query/index.js'
import { verifyDirectory } from '../../src/verify/index.js'

/** Flips one bit at a share of the file's length. */
export function flip(directory: string, file: string, share: number, bit = 2): void {
  const path = join(directory, file)
  const bytes = readFileSync(path)
  bytes[Math.min(bytes.length - 1, Math.floor(bytes.length * share))] ^= 1 << bit
  writeFileSync(path, bytes)
}

/** Overwrites a stretch with zeros. */
export function blank(directory: string, file: string, from: number, bytes: number): void {
  const path = join(directory, file)
  const content = readFileSync(path)
  content.fill(0, from, from + bytes)
  writeFileSync(path, content)
}

export function cut(directory: string, file: string, share: number): void {
  const path = join(directory, file)
  truncateSync(path, Math.floor(readFileSync(path).length * share))
}

/** Names in a folder of a crawl, with the folder. */
export function filesIn(directory: string, folder: string, ending: RegExp): string[] {
  return readdirSync(join(directory, folder))
    .filter(name => ending.test(name))
    .map(name => `${folder}/${name}`)
    .sort()
}

export async function damageOf(directory: string): Promise<string[]> {
  const lines: string[] = []
  for await (const { file, detail } of verifyDirectory(directory)) lines.push(`${file} ${detail}`)
  return lines
}

export interface CrawlRows {
  readonly pages: ReadonlyMap<string, Readonly<Record<string, unknown>>>
  readonly links: readonly string[]
  /** Rows of `pages` that stand there more than once. */
  readonly twice: readonly string[]
}

/** All that the tables say, but for `columns` of pages. */
export async function rowsOf(directory: string, without: readonly string[] = []): Promise<CrawlRows> {
  const tables = await openTables(directory)
  try {
    const pages = new Map<string, Readonly<Record<string, unknown>>>()
    const twice: string[] = []
    for await (const row of tables.query('SELECT * FROM pages')) {
      const key = `${row.url} ${row.outcome}`
      if (pages.has(key)) twice.push(key)
      pages.set(key, Object.fromEntries(Object.entries(row).filter(([name]) => !without.includes(name))))
    }
    const links: string[] = []
    for await (const row of tables.query('SELECT * FROM links')) links.push(JSON.stringify(row))
    return { pages, links: links.sort(), twice }
  } finally {
    await tables.close()
  }
}
