/**
 * For a resume with `--restored`: files that the ledger does not list are moved to `quarantine/` in the crawl
 * directory, so that recovery deletes nothing. Their pages are fetched again; the files are for the user.
 */
import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { incarnationIn, manifestOf, STORE_FOLDERS } from '../../data/store/index.js'
import { writeManifest } from '../../data/store/tables/index.js'
import { copyBytes, syncDirectory, writeFileAtomically } from '../../files/index.js'
import type { FileRow, Ledger } from '../../ledger/index.js'
import type { Millis } from '../../model/index.js'

const FOLDERS = [...STORE_FOLDERS, 'tables/sites', 'learned']
const OPEN = '.open'
/** The other files in `learned/` belong to the crawl as a whole, and no ledger lists them. */
const UNLISTED = /^learned\/(?!nets-|hosts-)/

/** Returns the folder, relative to the directory, and how many files are in it; null when all is listed. */
export async function quarantineUnlisted(
  directory: string,
  ledger: Ledger,
  now: Millis,
): Promise<{ readonly folder: string; readonly files: number } | null> {
  const crawling = (await ledger.agents()).filter(({ lanes }) => lanes > 0)
  const open = new Set(crawling.map(({ incarnation }) => incarnation))
  const rows = await ledger.files()
  const listed = new Map(rows.map(file => [file.name, file]))
  const folder = `quarantine/${new Date(now).toISOString().replaceAll(':', '-')}`
  let files = 0
  for (const { name, entry } of entriesOf(directory)) {
    const incarnation = incarnationIn(entry)
    if (incarnation !== null && open.has(incarnation)) continue
    const file = listed.get(name)
    const target = join(directory, folder, entry)
    if (file ? keepRest(directory, entry, file, listed, target) : move(join(directory, entry), target))
      files++
  }
  if (files === 0) return null
  writeManifest(directory, manifestOf(rows, now))
  return { folder, files }
}

/** Relative to the directory; `name` is what the ledger calls it. */
function* entriesOf(directory: string): Generator<{ readonly name: string; readonly entry: string }> {
  for (const folder of FOLDERS) {
    const path = join(directory, folder)
    for (const found of existsSync(path) ? readdirSync(path, { withFileTypes: true }) : []) {
      if (!found.isFile()) continue
      const entry = `${folder}/${found.name}`
      if (UNLISTED.test(entry)) continue
      yield { entry, name: entry.endsWith(OPEN) ? entry.slice(0, -OPEN.length) : entry }
    }
  }
}

function move(path: string, target: string): true {
  mkdirSync(dirname(target), { recursive: true })
  renameSync(path, target)
  syncDirectory(dirname(target))
  syncDirectory(dirname(path))
  return true
}

/** Copies what follows the committed part of a listed file; recovery cuts it off afterwards. */
function keepRest(
  directory: string,
  entry: string,
  file: FileRow,
  listed: ReadonlyMap<string, FileRow>,
  target: string,
): boolean {
  const path = join(directory, entry)
  if (file.kind === 'cdxj-log' && !entry.endsWith(OPEN)) return cutIndex(path, file, listed, target)
  const { size } = statSync(path)
  if (size <= file.bytes) return false
  mkdirSync(dirname(target), { recursive: true })
  copyFrom(path, file.bytes, `${target}.from-${file.bytes}`)
  return true
}

/** A sorted index has no committed prefix: lines of records past the committed part of its WARC are cut. */
function cutIndex(
  path: string,
  file: FileRow,
  listed: ReadonlyMap<string, FileRow>,
  target: string,
): boolean {
  const stem = file.name.slice(0, -'.cdxj'.length)
  const warc = [...listed.values()].find(({ name, kind }) => kind === 'warc' && name.startsWith(`${stem}.`))
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean)
  const kept = lines.filter(line => offsetIn(line) < (warc?.bytes ?? 0))
  if (kept.length === lines.length) return false
  mkdirSync(dirname(target), { recursive: true })
  copyFileSync(path, target)
  writeFileAtomically(path, kept.map(line => `${line}\n`).join(''))
  return true
}

function offsetIn(line: string): number {
  const { offset } = JSON.parse(line.slice(line.indexOf(' {') + 1)) as { offset?: string | number }
  return Number(offset)
}

function copyFrom(path: string, start: number, target: string): void {
  const source = openSync(path, 'r')
  const copy = openSync(target, 'wx')
  try {
    copyBytes(source, start, copy)
    fsyncSync(copy)
  } finally {
    closeSync(source)
    closeSync(copy)
  }
  syncDirectory(dirname(target))
}
