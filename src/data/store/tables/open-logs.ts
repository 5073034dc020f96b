/**
 * Notes on links and hosts from row logs that are not converted yet, as conversion would make them: a running
 * crawl has many links before its first Parquet file.
 */
import { HostNotes, type LearnedNotes, NetNotes } from './learned-notes.js'
import { DamagedFileError, readSegments, type SegmentTable } from './segment.js'

export interface OpenLog {
  readonly path: string
  readonly committedBytes: number
}

/** Lines of nets, from logs of at most `mostBytes` together; other logs are left out. */
export function netsInLogs(logs: readonly OpenLog[], mostBytes: number): Generator<string> {
  return notesIn(logsWithin(logs, mostBytes), 'links', new NetNotes())
}

/** Lines of hosts, a small part of a log of pages; the rest is not read. */
export function hostsInLogs(logs: readonly OpenLog[]): Generator<string> {
  return notesIn(logs, 'hosts', new HostNotes())
}

function* notesIn(logs: readonly OpenLog[], table: SegmentTable, notes: LearnedNotes): Generator<string> {
  for (const { path, committedBytes } of logs) {
    try {
      for (const segment of readSegments(path, committedBytes, table)) {
        notes.addSegment(segment)
        yield* notes.takeLines(false)
      }
    } catch (error) {
      // It was converted meanwhile, or it is damaged, which its conversion will report.
      const isGone = (error as NodeJS.ErrnoException).code === 'ENOENT'
      if (!isGone && !(error instanceof DamagedFileError)) throw error
    }
  }
  yield* notes.takeLines(true)
}

function logsWithin(logs: readonly OpenLog[], mostBytes: number): readonly OpenLog[] {
  let left = mostBytes
  return logs.filter(({ committedBytes }) => {
    if (committedBytes > left) return false
    left -= committedBytes
    return true
  })
}
