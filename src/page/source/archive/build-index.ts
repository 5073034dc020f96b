/** Makes the capture index of an archive: from the CDXJ beside each WARC, or by one scan of it. */
import { mkdirSync, renameSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fingerprint, loadZstd, takeFingerprint } from '../../../model/bytes/index.js'
import { LIMITS } from '../../../model/index.js'
import { normaliseUrl } from '../../../model/url/index.js'
import type { RecordStart } from '../warc/index.js'
import { type ArchiveFile, archiveFiles } from './archive-files.js'
import { CaptureIndex, CaptureIndexWriter, type CaptureKind } from './capture-index.js'
import { cdxjEntries } from './cdxj-entries.js'
import { RecordScan } from './record-scan.js'

export interface BuiltIndex {
  readonly files: number
  /** 0 if an index that is up to date was there already. */
  readonly captures: number
  /** One line for each file that could not be read completely. */
  readonly problems: readonly string[]
}

/** The index of an archive in a folder with the indexes of several. */
export function indexFile(folder: string, pattern: string): string {
  takeFingerprint(pattern)
  const name = [fingerprint.high, fingerprint.low].map(half => half.toString(16).padStart(8, '0')).join('')
  return join(folder, `${name}.db`)
}

/**
 * Leaves an index in `folder` unless there is one of the same files. `isStopped`: gives up, without an index.
 */
export async function buildIndex(
  pattern: string,
  folder: string,
  isStopped: () => boolean = () => false,
): Promise<BuiltIndex> {
  const path = indexFile(folder, pattern)
  const files = archiveFiles(pattern)
  const madeOf = JSON.stringify(files)
  if (CaptureIndex.madeOf(path) === madeOf) return { files: files.length, captures: 0, problems: [] }
  if (files.some(({ path: name }) => name.endsWith('.zst'))) await loadZstd()
  // Several processes of a crawl may make it at the same time.
  const unfinished = `${path}.${process.pid}.tmp`
  mkdirSync(folder, { recursive: true })
  rmSync(unfinished, { force: true })
  const names = files.map(file => file.path)
  const writer = new CaptureIndexWriter(unfinished, names, madeOf)
  const problems: string[] = []
  for (const [number, file] of files.entries()) {
    const problem =
      file.index === '' ? await scan(writer, number, file, isStopped) : await read(writer, number, file)
    if (problem !== '') problems.push(`${file.path}: ${problem}`)
    if (!isStopped()) continue
    writer.abandon()
    rmSync(unfinished, { force: true })
    return { files: files.length, captures: writer.rows, problems }
  }
  writer.finish()
  renameSync(unfinished, path)
  return { files: files.length, captures: writer.rows, problems }
}

async function read(writer: CaptureIndexWriter, file: number, { path, index }: ArchiveFile): Promise<string> {
  let bad = 0
  for await (const entry of cdxjEntries(index, basename(path))) {
    if (entry === null) bad++
    else writer.add({ ...entry, file })
  }
  return bad === 0 ? '' : `${bad} lines of ${basename(index)} cannot be used`
}

async function scan(
  writer: CaptureIndexWriter,
  file: number,
  { path, bytes }: ArchiveFile,
  isStopped: () => boolean,
): Promise<string> {
  let problem = ''
  for await (const result of RecordScan.of(path)) {
    if (isStopped()) return problem
    if (!result.ok) {
      const rest = result.isLast ? `; its last ${bytes - result.offset} bytes are not read` : ''
      if (problem === '' || result.isLast) problem = `byte ${result.offset} has ${result.detail}${rest}`
      continue
    }
    const { record } = result
    const kind = kindOf(record)
    const url = kind === null ? null : targetOf(record)
    if (kind === null || url === null) continue
    const at = Date.parse(record.headers.get('warc-date') ?? '')
    const digest = record.headers.get('warc-payload-digest') ?? ''
    writer.add({
      url,
      at: Number.isNaN(at) ? 0 : at,
      file,
      offset: record.offset,
      length: record.length,
      kind,
      digest,
    })
  }
  return problem
}

function kindOf({ headers }: RecordStart): CaptureKind | null {
  const type = headers.get('warc-type')?.toLowerCase()
  return type === 'response' || type === 'resource' || type === 'revisit' ? type : null
}

/** Normalised; null for other schemes. Some versions of wget write angle brackets. */
export function targetOf({ headers }: Pick<RecordStart, 'headers'>): string | null {
  const text = (headers.get('warc-target-uri') ?? '').replace(/^<(.*)>$/, '$1')
  const url = /^https?:/i.test(text) ? normaliseUrl(text) : null
  return url === null || url.length > LIMITS.urlChars ? null : url
}
