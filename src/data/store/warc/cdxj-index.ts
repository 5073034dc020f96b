/**
 * The unsorted CDXJ log of a closed WARC becomes its sorted index. Synchronous: meant for a worker thread.
 */
import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { syncDirectory } from '../../../files/index.js'
import { sortLines } from './sort-lines.js'

export interface IndexTask {
  /** The log; its first `bytes` are committed. */
  readonly logPath: string
  readonly bytes: number
  readonly outPath: string
}

/** Removes the log after the index is complete, so a repeated call has nothing left to do. */
export function finishIndex(task: IndexTask): void {
  sortLines(task.logPath, task.bytes, task.outPath)
  rmSync(task.logPath, { force: true })
  syncDirectory(dirname(task.outPath))
}
