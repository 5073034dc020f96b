/** `tables/manifest.json`: what the tables consist of, for whoever cannot ask the ledger. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Millis } from '../model/clock.js'
import { writeFileAtomically } from './durable.js'
import { readTextFile } from './inside.js'

export interface TableFiles {
  /** Parquet files; names are relative to the crawl directory. */
  readonly files: readonly { readonly name: string; readonly bytes: number }[]
  /** Row logs that are not Parquet yet; only their first `bytes` count. */
  readonly logs: readonly { readonly name: string; readonly bytes: number }[]
}

export interface Manifest {
  readonly writtenAt: Millis
  readonly tables: Readonly<Record<'pages' | 'links' | 'sites', TableFiles>>
}

const MANIFEST = 'tables/manifest.json'
const VERSION = 1

export function writeManifest(directory: string, manifest: Manifest): void {
  const content = { version: VERSION, ...manifest, writtenAt: new Date(manifest.writtenAt).toISOString() }
  writeFileAtomically(join(directory, MANIFEST), `${JSON.stringify(content, null, 2)}\n`)
}

export type ManifestResult =
  | { readonly ok: true; readonly manifest: Manifest }
  | { readonly ok: false; readonly why: 'missing' | 'newer' | 'damaged'; readonly message: string }

export function readManifest(directory: string): ManifestResult {
  const path = join(directory, MANIFEST)
  if (!existsSync(path)) return { ok: false, why: 'missing', message: `there is no ${path}` }
  let content: { version?: unknown; writtenAt?: unknown; tables?: Partial<Record<string, unknown>> }
  try {
    content = JSON.parse(readTextFile(path)) ?? {}
  } catch {
    return { ok: false, why: 'damaged', message: `${path} is not JSON` }
  }
  if (typeof content.version === 'number' && content.version > VERSION)
    return { ok: false, why: 'newer', message: `${path} was written by a newer orbweaver; update orbweaver` }
  const { pages, links, sites } = content.tables ?? {}
  if (content.version !== VERSION || !isTable(pages) || !isTable(links) || !isTable(sites))
    return { ok: false, why: 'damaged', message: `${path} does not list the tables` }
  return {
    ok: true,
    manifest: { writtenAt: Date.parse(String(content.writtenAt)), tables: { pages, links, sites } },
  }
}

function isTable(value: unknown): value is TableFiles {
  const { files, logs }: Partial<TableFiles> = value ?? {}
  return Array.isArray(files) && Array.isArray(logs) && [...files, ...logs].every(isFile)
}

function isFile(value: unknown): boolean {
  const { name, bytes }: { name?: unknown; bytes?: unknown } = value ?? {}
  return typeof name === 'string' && typeof bytes === 'number'
}
