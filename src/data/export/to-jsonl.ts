/** One JSON object per row of `pages`, with all columns, text included. */
import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { jsonForTerminal } from '../../model/index.js'
import { jsonLines, openTables, type Result, type TablesOptions } from '../query/index.js'
import { countPages } from './gather-pages.js'
import { type ExportResult, ExportTally, type Progress } from './progress.js'
import { claimFile } from './target.js'

/** `out` is a file, or a stream that stays open; a terminal gets control characters as escapes. */
export async function exportJsonl(
  dir: string,
  out: string | (Writable & { readonly isTTY?: boolean }),
  progress: Progress,
  options: TablesOptions = {},
): Promise<ExportResult> {
  const stop = options.interruption && { signal: options.interruption.signal }
  const tables = await openTables(dir, options)
  try {
    const { rows } = await countPages(tables, dir)
    const tally = new ExportTally(progress)
    if (typeof out === 'string') {
      claimFile(out)
      await mkdir(dirname(out), { recursive: true })
    }
    const lines = jsonLines(counted(await tables.run('SELECT * FROM pages'), tally, rows))
    if (typeof out === 'string') await pipeline(lines, createWriteStream(out), { ...stop })
    else
      await pipeline(out.isTTY ? harmless(lines) : lines, out, { end: false, ...stop }).catch(ignoreLeaving)
    return tally
  } catch (error) {
    stop?.signal.throwIfAborted()
    throw error
  } finally {
    await tables.close()
  }
}

async function* harmless(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const piece of lines) yield jsonForTerminal(piece)
}

/** Ignores the error of a pipe that its reader has closed, as `head` does. */
function ignoreLeaving(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
}

/** Wraps `result` so that each row that is read is counted. */
function counted(result: Result, tally: ExportTally, total: number): Result {
  return {
    columns: result.columns,
    async *batches() {
      for await (const rows of result.batches())
        yield (function* () {
          for (const row of rows) {
            yield row
            tally.wrote(total)
          }
        })()
    },
  }
}
