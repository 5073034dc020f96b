/** The readable files of one table as Parquet: sound files, and the sound part of damaged row logs. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { locateFile } from '../data/store/index.js'
import { RowLogWriter, type Segment, salvageSegments } from '../data/store/tables/index.js'
import { convertLogs } from '../data/store/tables/parquet/index.js'
import type { FileRow } from '../ledger/index.js'

export type Table = 'pages' | 'links'

export interface TableSource {
  readonly file: FileRow
  /** Null if nothing of it can be read. */
  readonly path: string | null
  readonly isDamaged: boolean
}

export interface SourceTask {
  readonly directory: string
  readonly scratch: string
  readonly files: readonly FileRow[]
  /** Names of damaged files. */
  readonly damaged: ReadonlySet<string>
}

export function tableSources(task: SourceTask, table: Table): TableSource[] {
  return task.files
    .filter(({ kind, bytes }) => (kind === table || kind === `${table}-log`) && bytes > 0)
    .map((file, number) => {
      const isDamaged = task.damaged.has(file.name)
      return { file, path: readable(task, table, file, number, isDamaged), isDamaged }
    })
}

function readable(
  { directory, scratch }: SourceTask,
  table: Table,
  file: FileRow,
  number: number,
  isDamaged: boolean,
): string | null {
  const path = locateFile(directory, file.name)
  if (path === null) return null
  if (file.kind === table) return isDamaged ? null : path
  const outPath = join(scratch, `${table}-${number}.parquet`)
  const log = isDamaged ? salvage(path, file.bytes, `${outPath}.rows`) : path
  if (log === null) return null
  const { size } = statSync(log)
  const committedBytes = isDamaged ? size : Math.min(file.bytes, size)
  convertLogs({ table, logs: [{ path: log, committedBytes }], outPath })
  return outPath
}

/**
 * Copies the sound segments of a log, without packs next to damage: rows and texts of a pack belong together.
 */
function salvage(path: string, bytes: number, outPath: string): string | null {
  const out = new RowLogWriter(outPath)
  let pack: Segment[] = []
  let isDoubtful = false
  const end = () => {
    if (!isDoubtful) for (const segment of pack) out.addSegment(segment)
    pack = []
  }
  for (const segment of salvageSegments(path, bytes)) {
    if (segment === null) {
      pack = []
      isDoubtful = true
      continue
    }
    if (pack.length > 0 && pack[0].pack !== segment.pack) {
      end()
      isDoubtful = false
    }
    pack.push({ ...segment, rows: Buffer.from(segment.rows) })
  }
  end()
  out.close()
  return out.rows > 0 ? outPath : null
}
