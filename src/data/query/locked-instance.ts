/**
 * Opens DuckDB in memory, within limits, with views over the files of a crawl and no access to anything else.
 */
import { mkdir, statfs } from 'node:fs/promises'
import { availableParallelism, totalmem } from 'node:os'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { LIMITS } from '../../model/index.js'
import { TABLE_COLUMNS } from './columns.js'
import { Connection, type Interruption } from './connection.js'
import type { Snapshot } from './snapshot.js'
import { sqlError } from './sql-error.js'
import { allowedPaths, createView, createViews, quoteText } from './views.js'

export interface QueryLimits {
  /** Memory of DuckDB; beyond it, DuckDB writes temporary files. */
  readonly memoryBytes?: number | undefined
  /** Most bytes of temporary files; 0: none. */
  readonly spillBytes?: number | undefined
  readonly threads?: number | undefined
}

const MOST_THREADS = 4
const SPILL_SHARE = 0.5

/** At most a quarter of the machine's memory, because a query may run beside a crawl. */
export function defaultMemoryBytes(): number {
  return Math.min(LIMITS.queryMemoryBytes, Math.floor(totalmem() / 4))
}

/** Throws a ConfigError, or the signal's reason. */
export async function openLockedInstance(
  snapshots: readonly Snapshot[],
  limits: QueryLimits,
  interruption?: Interruption,
): Promise<DuckDBInstance> {
  const spill = join(snapshots[0].scratchDir, 'spill')
  await mkdir(spill, { recursive: true })
  const instance = await DuckDBInstance.create(':memory:', {
    threads: String(limits.threads ?? Math.min(availableParallelism(), MOST_THREADS)),
    memory_limit: kibibytes(limits.memoryBytes ?? defaultMemoryBytes()),
    temp_directory: spill,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  })
  const spillBytes = limits.spillBytes ?? (await defaultSpillBytes(spill))
  const connection = new Connection(await instance.connect(), interruption)
  try {
    await connection.call(async inner => {
      // Set here because DuckDB ignores this setting as an option of `create`.
      await inner.run(`SET max_temp_directory_size = '${kibibytes(spillBytes)}'`)
      await lock(inner, snapshots)
    })
    await connection.close()
    return instance
  } catch (error) {
    await connection.close()
    instance.closeSync()
    throw interruption?.signal.aborted ? error : sqlError(error)
  }
}

async function lock(connection: DuckDBConnection, snapshots: readonly Snapshot[]): Promise<void> {
  const [files, previous] = snapshots.map(snapshot => snapshot.files)
  await createViews(connection, files, snapshots[0].guest)
  if (previous) await createView(connection, 'previous_pages', previous.pages, TABLE_COLUMNS.pages)
  const all = snapshots.flatMap(snapshot => Object.values(snapshot.files).flat())
  const paths = all.flatMap(allowedPaths).map(quoteText)
  await connection.run(`SET allowed_paths = [${paths.join(', ')}]`)
  await connection.run(`SET GLOBAL TimeZone = 'UTC'`)
  await connection.run('SET enable_external_access = false')
  await connection.run('SET lock_configuration = true')
}

/** Leaves half of the free disk space to others, for example a crawl. */
async function defaultSpillBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize * SPILL_SHARE
}

function kibibytes(bytes: number): string {
  return `${Math.ceil(bytes / 1024)}KiB`
}
