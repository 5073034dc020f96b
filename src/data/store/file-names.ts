/**
 * Names of the files of an incarnation. A file that may grow has `.open` after its name; rows and indexes
 * refer to a WARC by its final name.
 */
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathInside } from '../../files/index.js'
import type { StoredKind } from './pack-store.js'

export const OPEN_SUFFIX = '.open'

/** Files belong to one incarnation of one agent in one crawl. */
export interface FileOwner {
  /** The name of the crawl. */
  readonly crawl: string
  readonly incarnation: number
}

export const STORE_FOLDERS = ['archive', 'tables/pages', 'tables/links', 'tables/items'] as const

/** What is in those of the `STORE_FOLDERS` that exist. */
export function* storeEntries(
  directory: string,
): Generator<{ readonly folder: string; readonly entry: string }> {
  for (const folder of STORE_FOLDERS) {
    const path = join(directory, folder)
    for (const entry of existsSync(path) ? readdirSync(path) : []) yield { folder, entry }
  }
}

const DIGITS = 5

/** `extension` matters for WARCs only. */
export function fileName(owner: FileOwner, kind: StoredKind, number: number, extension = ''): string {
  const serial = String(number).padStart(DIGITS, '0')
  switch (kind) {
    case 'warc':
      return `archive/${archivePrefix(owner)}${serial}${extension}`
    case 'cdxj-log':
      return `archive/${archivePrefix(owner)}${serial}.cdxj`
    case 'pages-log':
      return `tables/pages/${owner.incarnation}-${serial}.rows`
    case 'links-log':
      return `tables/links/${owner.incarnation}-${serial}.rows`
    case 'items-log':
      return `tables/items/${owner.incarnation}-${serial}.rows`
  }
}

function archivePrefix(owner: FileOwner): string {
  return `${owner.crawl.replaceAll(/[^\w.]+/g, '_')}-${owner.incarnation}-`
}

const FILE_OF_LIFE = /(?:^|-)(\d+)-\d{5,}(?:\.\w+)+$/

/** The incarnation that a file in one of the `STORE_FOLDERS` belongs to; null for a table file. */
export function incarnationIn(entry: string): number | null {
  const [, incarnation] = FILE_OF_LIFE.exec(entry) ?? []
  return incarnation === undefined ? null : Number(incarnation)
}

const SERIAL = /^(\d{5,})((?:\.\w+)+)$/

/** Name (without `.open`) and kind of a file in one of the `STORE_FOLDERS`; null if it is not the owner's. */
export function ownedFile(
  owner: FileOwner,
  folder: string,
  entry: string,
): { readonly name: string; readonly kind: StoredKind; readonly temporary: boolean } | null {
  const prefix = folder === 'archive' ? archivePrefix(owner) : `${owner.incarnation}-`
  const match = entry.startsWith(prefix) ? SERIAL.exec(entry.slice(prefix.length)) : null
  if (!match) return null
  const [, serial, ending] = match
  const closed = ending.replace(/\.open$/, '')
  const kind = kindOf(folder, closed.replace(/(\.run\d+)?\.tmp$/, ''))
  if (!kind) return null
  return { name: `${folder}/${prefix}${serial}${closed}`, kind, temporary: closed.endsWith('.tmp') }
}

/** The kind of a listed file, under any crawl name; null for a table file. */
export function kindOfListed(name: string): StoredKind | null {
  const [, ending] = /-\d{5,}((?:\.\w+)+)$/.exec(name) ?? []
  return ending === undefined ? null : kindOf(dirname(name), ending)
}

const LOGS: Readonly<Record<string, RowLogKind>> = {
  'tables/pages': 'pages-log',
  'tables/links': 'links-log',
  'tables/items': 'items-log',
}

export type RowLogKind = 'pages-log' | 'links-log' | 'items-log'

function kindOf(folder: string, ending: string): StoredKind | null {
  if (folder === 'archive')
    return ending === '.cdxj' ? 'cdxj-log' : ending.startsWith('.warc') ? 'warc' : null
  if (ending !== '.rows') return null
  const log = LOGS[folder]
  return log ?? null
}

/** The present path of a file, open or closed; null if it is missing. */
export function locateFile(directory: string, name: string): string | null {
  const closed = pathInside(directory, name)
  if (existsSync(closed)) return closed
  // It may have been closed between the two checks.
  if (existsSync(closed + OPEN_SUFFIX)) return closed + OPEN_SUFFIX
  return existsSync(closed) ? closed : null
}

/**
 * Row logs that get no more rows: all of an incarnation that has ended (`closed`), all but the newest of
 * another.
 */
export function completeLogs<
  T extends { readonly name: string; readonly kind: string; readonly closed: boolean },
>(files: readonly T[], kind: RowLogKind): T[] {
  const newest = new Map<string, string>()
  const logs = files.filter(file => file.kind === kind)
  for (const { name } of logs) {
    const incarnation = incarnationOf(name)
    const known = newest.get(incarnation)
    if (known === undefined || serialOf(name) > serialOf(known)) newest.set(incarnation, name)
  }
  return logs.filter(({ name, closed }) => closed || newest.get(incarnationOf(name)) !== name)
}

const incarnationOf = (name: string) => name.slice(0, name.lastIndexOf('-'))
const serialOf = (name: string) => Number.parseInt(name.slice(name.lastIndexOf('-') + 1), 10)
