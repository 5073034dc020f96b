/**
 * Streams the rows of a SELECT. DuckDB's Node API ends a stream that failed halfway like a complete one, so
 * every statement gets one more row at its end, which proves that the end was reached.
 */
import type { DuckDBDataChunk, DuckDBResult } from '@duckdb/node-api'
import { ConfigError } from '../../config/index.js'
import type { Connection } from './connection.js'
import type { Select } from './read-only-sql.js'
import { plainValue, type Value } from './values.js'

/** One result, to be read once. */
export interface Result {
  readonly columns: readonly string[]
  /** Rows in batches as DuckDB delivers them; a batch is valid until the next one is read. */
  batches(): AsyncGenerator<Iterable<readonly Value[]>>
}

const HALFWAY =
  'the query stopped halfway, probably because memory ran out; select fewer columns or rows, or omit ORDER BY'

/** Starts the statement and waits for its first rows: most errors appear here. */
export async function openStream(connection: Connection, select: Select): Promise<Result> {
  if (select.explain !== '') return explanation(connection, select)
  const { columnCount } = await connection.call(inner => inner.prepare(select.text))
  const nothing = ', NULL'.repeat(columnCount)
  const marked = `SELECT false AS "(end)", * FROM (${select.text}\n) UNION ALL SELECT true${nothing}`
  const result = await connection.call(inner => inner.stream(marked))
  const first = await connection.call(() => result.fetchChunk())
  if (isOver(first)) throw await reasonOf(connection, select)
  return {
    columns: result.deduplicatedColumnNames().slice(1),
    batches: () => markedBatches(connection, select, result, first),
  }
}

async function* markedBatches(
  connection: Connection,
  select: Select,
  result: DuckDBResult,
  first: DuckDBDataChunk,
): AsyncGenerator<Iterable<readonly Value[]>> {
  const next = () => connection.call(() => result.fetchChunk())
  for (let chunk: DuckDBDataChunk | null = first; !isOver(chunk); chunk = await next()) {
    const last = chunk.rowCount - 1
    const isEnd = chunk.getColumnVector(0).getItem(last) === true
    yield plainRows(chunk, isEnd ? last : chunk.rowCount, 1)
    if (isEnd) return
  }
  throw await reasonOf(connection, select)
}

/** An explanation is small, so it is read at once. */
async function explanation(connection: Connection, select: Select): Promise<Result> {
  const result = await connection.call(inner => inner.run(select.explain + select.text))
  return {
    columns: result.deduplicatedColumnNames(),
    async *batches() {
      for (const chunk of await result.fetchAllChunks()) yield plainRows(chunk, chunk.rowCount, 0)
    },
  }
}

function isOver(chunk: DuckDBDataChunk | null): chunk is null {
  return chunk === null || chunk.rowCount === 0
}

/** Row by row, because a batch of pages with their text can be large. */
function* plainRows(
  chunk: DuckDBDataChunk,
  rowCount: number,
  firstColumn: number,
): Generator<readonly Value[]> {
  for (let row = 0; row < rowCount; row++) {
    const values = chunk.getRowValues(row)
    const plain: Value[] = []
    for (let column = firstColumn; column < values.length; column++) plain.push(plainValue(values[column]))
    yield plain
  }
}

/** Runs the statement once more, without its rows, to learn why the stream ended early. */
async function reasonOf(connection: Connection, { text }: Select): Promise<Error> {
  try {
    await connection.call(inner => inner.run(`SELECT count(COLUMNS(*)) FROM (${text}\n)`))
  } catch (error) {
    return error as Error
  }
  return new ConfigError(HALFWAY)
}
