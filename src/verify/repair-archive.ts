/**
 * Repairs a WARC and its index. Records of the same length replace damaged ones, so that sound records keep
 * their offsets; the index is rebuilt from the records that are left.
 */
import { randomUUID } from 'node:crypto'
import {
  closeSync,
  copyFileSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { ByteSink, warcDate } from '../data/store/bytes/index.js'
import { locateFile } from '../data/store/index.js'
import {
  appendCdxjEntry,
  appendCdxjLines,
  type Filler,
  fillerBytesMin,
  fillerRecords,
  finishIndex,
  indexEntryOf,
} from '../data/store/warc/index.js'
import { DurableFile, digestFile, writeWhole } from '../files/index.js'
import type { FileRow } from '../ledger/index.js'
import type { Exchange } from '../model/index.js'
import { holdsPage, type SoundRecord } from '../page/source/warc/index.js'
import { exchangeOf } from './archived-exchange.js'
import type { RepairCrawl } from './open-repair.js'
import { type DamagedRange, scanWarc } from './scan-warc.js'

/** Suffix of new files; recovery removes them after an interrupted repair. */
const NEW = '.tmp'

/** A WARC and its index, at least one of them damaged. */
export interface ArchiveTask extends RepairCrawl {
  readonly warc: FileRow
  readonly index: FileRow | undefined
  /** Offsets of responses by the page rows. */
  readonly places: readonly number[]
}

export interface RepairedArchive {
  /** New files that will replace those of the same name. */
  readonly files: readonly { readonly name: string; readonly newPath: string }[]
  /** Their new rows in the ledger. */
  readonly rows: readonly { name: string; kind: string; bytes: number; crc32: number }[]
  /** Lost files, to be removed from the ledger. */
  readonly gone: readonly string[]
  readonly warc: string
  readonly damaged: readonly DamagedRange[]
  /** URLs of the responses and revisits in those ranges that the index names. */
  readonly lost: readonly string[]
}

interface KnownPlace {
  readonly url: string
  readonly offset: number
}

export async function repairArchive(task: ArchiveTask): Promise<RepairedArchive> {
  const { directory, target, warc, index } = task
  const entries = index === undefined ? [] : readIndex(directory, index.name)
  const path = locateFile(directory, warc.name)
  if (path === null) return withoutWarc(task, entries)
  const places = [...new Set([...entries.map(({ offset }) => offset), ...task.places])].sort((a, b) => a - b)
  const lines = new ByteSink()
  const damaged: DamagedRange[] = []
  const sound: number[] = []
  for await (const step of scanWarc(path, warc.bytes, places)) {
    if (!step.ok) damaged.push(atLeast(step, sound, fillerOf(task)))
    else if (holdsPage(step.record)) await addLine(lines, step, task)
    if (step.ok) sound.push(step.offset)
  }
  const newPath = join(target, warc.name) + NEW
  writeWarc(path, newPath, warc.bytes, sound, damaged, fillerOf(task))
  const files = [{ name: warc.name, newPath }]
  const rows = [{ name: warc.name, kind: warc.kind, ...digestFile(newPath, warc.kind, warc.bytes) }]
  if (index !== undefined) {
    const made = writeIndex(task, index, lines)
    files.push({ name: index.name, newPath: made })
    rows.push({
      name: index.name,
      kind: index.kind,
      ...digestFile(made, index.kind, Number.MAX_SAFE_INTEGER),
    })
  }
  const isLost = ({ offset }: KnownPlace) =>
    damaged.some(range => offset >= range.offset && offset < range.offset + range.length)
  const lost = entries.filter(isLost).map(({ url }) => url)
  return { files, rows, gone: [], warc: warc.name, damaged, lost }
}

/** The WARC is missing: every record that its index names is lost. */
function withoutWarc({ warc, index }: ArchiveTask, entries: readonly KnownPlace[]): RepairedArchive {
  return {
    files: [],
    rows: [],
    gone: [warc.name, ...(index === undefined ? [] : [index.name])],
    warc: warc.name,
    damaged: [{ ok: false, offset: 0, length: warc.bytes }],
    lost: entries.map(({ url }) => url),
  }
}

function fillerOf({ warc, now }: ArchiveTask): Filler {
  const codec = warc.name.endsWith('.zst') ? 'zstd' : 'gzip'
  return { codec, date: warcDate(now), newId: randomUUID }
}

/** A range that is too short for a record is extended over the record before it. */
function atLeast(range: DamagedRange, sound: readonly number[], filler: Filler): DamagedRange {
  const offset = range.length >= fillerBytesMin(filler) ? range.offset : (sound.at(-1) ?? range.offset)
  return { ok: false, offset, length: range.offset + range.length - offset }
}

/** The readable lines of an index. */
function readIndex(directory: string, name: string): KnownPlace[] {
  const path = locateFile(directory, name)
  if (path === null) return []
  return readFileSync(path, 'utf8')
    .split('\n')
    .map(indexEntryOf)
    .flatMap(({ url, offset }) =>
      typeof url === 'string' && /^\d+$/.test(String(offset)) ? [{ url, offset: Number(offset) }] : [],
    )
}

async function addLine(lines: ByteSink, found: SoundRecord, { warc, config }: ArchiveTask): Promise<void> {
  const { record, offset, length } = found
  const url = record.headers.get('warc-target-uri') ?? ''
  const exchange = await exchangeOf({ ...found, url, visit: null }, Math.min(config.maxBody, 1))
  if (exchange === null) return
  const entry = new ByteSink()
  const digest = record.headers.get('warc-payload-digest') ?? ''
  const row = { mime: mimeOf(exchange), status: exchange.status }
  appendCdxjEntry(entry, exchange, row, { offset, length, digest }, record.type === 'revisit')
  appendCdxjLines(lines, entry.view(), basename(warc.name), 0)
}

function mimeOf(exchange: Exchange): string {
  return (exchange.header('content-type') ?? '').split(';', 1)[0].trim().toLowerCase()
}

/** Copies the committed bytes and writes fillers over the damaged ranges. */
function writeWarc(
  path: string,
  newPath: string,
  bytes: number,
  sound: readonly number[],
  damaged: readonly DamagedRange[],
  filler: Filler,
): void {
  copyFileSync(path, newPath)
  const file = openSync(newPath, 'r+')
  try {
    ftruncateSync(file, bytes)
    if (filler.codec === 'gzip') for (const offset of sound) clearHead(file, offset)
    for (const { offset, length } of damaged) writeWhole(file, fillerRecords(length, filler), offset)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Flags and time of a gzip member, which no checksum covers; the crawler writes zeros. */
const HEAD_FLAGS = 3
const HEAD_FLAGS_BYTES = 5
const flags = Buffer.alloc(HEAD_FLAGS_BYTES)
const NO_FLAGS = Buffer.alloc(HEAD_FLAGS_BYTES)

function clearHead(file: number, offset: number): void {
  readSync(file, flags, 0, HEAD_FLAGS_BYTES, offset + HEAD_FLAGS)
  if (!flags.equals(NO_FLAGS)) writeSync(file, NO_FLAGS, 0, HEAD_FLAGS_BYTES, offset + HEAD_FLAGS)
}

function writeIndex({ target }: ArchiveTask, index: FileRow, lines: ByteSink): string {
  const logPath = `${join(target, index.name)}.log${NEW}`
  const newPath = join(target, index.name) + NEW
  rmSync(logPath, { force: true })
  const log = new DurableFile(logPath)
  log.write(lines.view())
  log.keep()
  finishIndex({ logPath, bytes: lines.length, outPath: newPath })
  return newPath
}
