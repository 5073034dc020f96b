/**
 * What row logs that are not Parquet yet say of links and hosts, as conversion would note it: a crawl that
 * runs knows its links long before a file's worth of them is there.
 */
import { HostNotes, type LearnedNotes, NetNotes } from './learned-notes.js'
import { DamagedFileError, readSegments, type SegmentTable } from './segment.js'

export interface OpenLog {
  readonly path: string
  readonly committedBytes: number
}

/** Lines of nets, of as many logs as have `mostBytes` together: the rest is left out. */
export function netsInLogs(logs: readonly OpenLog[], mostBytes: number): Generator<string> {
  return notesIn(logsWithin(logs, mostBytes), 'links', new NetNotes())
}

/** Lines of hosts: a small part of a log of pages, and the rest of it is passed over. */
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
      // It has become Parquet meanwhile; or it is damaged, which whoever converts it will say.
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
