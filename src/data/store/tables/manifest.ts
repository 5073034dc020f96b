/** `tables/manifest.json`: the files of the tables, for readers without access to the ledger. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type ListedFile, readSealed, writeSealed } from '../../../files/index.js'
import type { Millis } from '../../../model/index.js'

/** Names are relative to the crawl directory. */
type TableFile = Omit<ListedFile, 'kind'>

export interface TableFiles {
  /** Parquet. */
  readonly files: readonly TableFile[]
  /** Row logs that are not Parquet yet; only their first `bytes` count. */
  readonly logs: readonly TableFile[]
}

export interface Manifest {
  readonly writtenAt: Millis
  readonly tables: Readonly<Record<'pages' | 'links' | 'items' | 'sites', TableFiles>>
}

export const MANIFEST = 'tables/manifest.json'
const VERSION = 1

export function writeManifest(directory: string, manifest: Manifest): void {
  const content = { version: VERSION, ...manifest, writtenAt: new Date(manifest.writtenAt).toISOString() }
  writeSealed(join(directory, MANIFEST), MANIFEST, content)
}

export type ManifestResult =
  | { readonly ok: true; readonly manifest: Manifest }
  | { readonly ok: false; readonly why: 'missing' | 'newer' | 'damaged'; readonly message: string }

export function readManifest(directory: string): ManifestResult {
  const path = join(directory, MANIFEST)
  if (!existsSync(path)) return { ok: false, why: 'missing', message: `there is no ${path}` }
  const file = readSealed(path, MANIFEST)
  if (file === null) return { ok: false, why: 'damaged', message: 'it is not JSON' }
  const content = file.content as Content
  if (typeof content.version === 'number' && content.version > VERSION)
    return { ok: false, why: 'newer', message: `${path} was written by a newer orbweaver; update orbweaver` }
  if (file.seal !== 'right') return { ok: false, why: 'damaged', message: 'its checksum differs' }
  // Older versions had no items.
  const { pages, links, sites, items = { files: [], logs: [] } } = content.tables ?? {}
  const areTables = isTable(pages) && isTable(links) && isTable(sites) && isTable(items)
  if (content.version !== VERSION || !areTables)
    return { ok: false, why: 'damaged', message: 'it does not list the tables' }
  return {
    ok: true,
    manifest: { writtenAt: Date.parse(String(content.writtenAt)), tables: { pages, links, items, sites } },
  }
}

interface Content {
  readonly version?: unknown
  readonly writtenAt?: unknown
  readonly tables?: Partial<Record<string, unknown>>
}

/** Every file that a manifest lists, with its kind in the ledger. */
export function manifestFiles({ tables }: Manifest): ListedFile[] {
  return Object.entries(tables).flatMap(([table, { files, logs }]) => [
    ...files.map(file => ({ ...file, kind: table })),
    ...logs.map(log => ({ ...log, kind: `${table}-log` })),
  ])
}

function isTable(value: unknown): value is TableFiles {
  const { files, logs }: Partial<TableFiles> = value ?? {}
  return Array.isArray(files) && Array.isArray(logs) && [...files, ...logs].every(isFile)
}

function isFile(value: unknown): boolean {
  const { name, bytes, crc32 }: Partial<Record<keyof TableFile, unknown>> = value ?? {}
  const isDigest = crc32 === null || typeof crc32 === 'number'
  return typeof name === 'string' && typeof bytes === 'number' && isDigest
}
