/** Reads the rows of Parquet files with DuckDB, in the form in which they are written. */
import { DuckDBInstance } from '@duckdb/node-api'
import { Connection, openStream, parquet, quoteText, type Value } from '../data/query/index.js'
import { linkKindOf } from '../data/store/tables/parquet/index.js'
import type { Kept, OutcomeCode, PageRow } from '../model/index.js'

export interface StoredPage {
  readonly row: PageRow
  readonly agent: string
  /** Name of the WARC with its record; empty when it has none. */
  readonly warc: string
}

export interface StoredLink {
  readonly url: string
  readonly target: string
  readonly kind: number
}

const PAGE_COLUMNS = `url, outcome, content_digest, content_mime_type, content_mime_detected, content_charset,
  content_languages, content_truncated, title, description, canonical, redirect_target, etag, last_modified, via,
  outlinks, outlinks_foreign, depth, hops, lane, attempt, epoch_ms(fetch_time), fetch_status, fetch_ms, body_bytes,
  warc_filename, warc_record_offset, warc_record_length, agent, text, warc_refers_to_date, kept`

/** Files of older versions have no column `kept`. */
function pagesIn(paths: readonly string[]): string {
  return `(SELECT * FROM ${parquet(paths)} UNION ALL BY NAME SELECT NULL::VARCHAR AS kept WHERE false)`
}

export class TableFiles {
  readonly #instance: DuckDBInstance
  readonly #connection: Connection

  static async open(spill: string): Promise<TableFiles> {
    const settings = { threads: '1', memory_limit: '512MiB', temp_directory: spill }
    const instance = await DuckDBInstance.create(':memory:', settings)
    return new TableFiles(instance, new Connection(await instance.connect()))
  }

  private constructor(instance: DuckDBInstance, connection: Connection) {
    this.#instance = instance
    this.#connection = connection
  }

  async close(): Promise<void> {
    await this.#connection.close()
    this.#instance.closeSync()
  }

  /** `where` is a condition in SQL. */
  async *pages(path: string, where: string): AsyncGenerator<StoredPage> {
    const sql = `SELECT ${PAGE_COLUMNS} FROM ${pagesIn([path])} WHERE ${where}`
    for await (const row of this.rows(sql)) yield pageOf(row)
  }

  /** In the order of the file. */
  async *links(path: string, where: string): AsyncGenerator<StoredLink> {
    const sql = `SELECT url, target, kind FROM ${parquet([path])} WHERE ${where}`
    for await (const [url, target, kind] of this.rows(sql))
      yield { url: String(url), target: String(target), kind: linkKindOf(String(kind).split(' ')) }
  }

  /** Makes a table of one column `url`. */
  async fill(table: string, urls: readonly string[], rowsPerStatement: number): Promise<void> {
    await this.#run(`CREATE TABLE ${table} (url VARCHAR)`)
    for (let from = 0; from < urls.length; from += rowsPerStatement) {
      const rows = urls.slice(from, from + rowsPerStatement).map(url => `(${quoteText(url)})`)
      await this.#run(`INSERT INTO ${table} VALUES ${rows.join(', ')}`)
    }
  }

  /** Offsets of the records of one WARC. */
  async placesIn(path: string, warc: string): Promise<number[]> {
    const places: number[] = []
    const sql = `SELECT warc_record_offset FROM ${parquet([path])}
      WHERE warc_filename = ${quoteText(warc)}`
    for await (const [offset] of this.rows(sql)) places.push(Number(offset))
    return places
  }

  /**
   * URLs of pages that have fewer link rows than `column` of their row says, and no archived record; without
   * those for which a verdict is the reason.
   */
  async pagesShortOfLinks(
    pages: readonly string[],
    links: readonly string[],
    column: string,
    where: string,
  ): Promise<string[]> {
    const found =
      links.length === 0
        ? 'SELECT NULL AS url, 0 AS n WHERE false'
        : `SELECT url, count(*) AS n FROM ${parquet(links)} GROUP BY url`
    const sql = `SELECT page.url FROM ${pagesIn(pages)} page LEFT JOIN (${found}) link USING (url)
      WHERE warc_filename IS NULL AND kept IS NULL AND ${column} > coalesce(n, 0) AND ${where} ORDER BY 1`
    const urls: string[] = []
    for await (const [url] of this.rows(sql)) urls.push(String(url))
    return urls
  }

  async count(path: string, where: string): Promise<number> {
    for await (const [count] of this.rows(`SELECT count(*) FROM ${parquet([path])} WHERE ${where}`))
      return Number(count)
    return 0
  }

  async #run(sql: string): Promise<void> {
    await this.#connection.call(inner => inner.run(sql))
  }

  async *rows(text: string): AsyncGenerator<readonly Value[]> {
    const { batches } = await openStream(this.#connection, { text, explain: '' })
    for await (const batch of batches()) yield* batch
  }
}

function pageOf(values: readonly Value[]): StoredPage {
  const text = (i: number) => (values[i] === null ? '' : String(values[i]))
  const number = (i: number) => Number(values[i] ?? 0)
  return {
    row: {
      url: text(0),
      outcome: text(1) as OutcomeCode,
      digest: text(2),
      mime: text(3),
      mimeDetected: text(4),
      charset: text(5),
      languages: text(6),
      truncated: text(7),
      title: text(8),
      description: text(9),
      canonical: text(10),
      redirect: text(11),
      etag: text(12),
      lastModified: text(13),
      via: text(14),
      outlinks: number(15),
      outlinksForeign: number(16),
      depth: number(17),
      hops: number(18),
      lane: number(19),
      attempt: number(20),
      fetchedAt: number(21),
      status: number(22),
      fetchMs: number(23),
      bodyBytes: number(24),
      warcOffset: values[26] === null ? -1 : number(26),
      warcLength: number(27),
      text: Buffer.from(text(29)),
      refersToDate: text(30),
      kept: text(31) as Kept,
    },
    agent: text(28),
    warc: text(25),
  }
}
