/**
 * The columns of the tables in SQL. They are listed here because a table without rows, or of an older
 * version, must have them too.
 */
export type TableName = 'pages' | 'links' | 'sites'

export interface Column {
  readonly name: string
  /** DuckDB's name of the type. */
  readonly type: string
}

/** The names of Common Crawl's columns, where Common Crawl has such a column. */
const PAGES = `url VARCHAR, url_host_name VARCHAR, url_host_registered_domain VARCHAR, fetch_time TIMESTAMP,
  fetch_status INTEGER, content_digest VARCHAR, content_mime_type VARCHAR, content_mime_detected VARCHAR,
  content_charset VARCHAR, content_languages VARCHAR, content_truncated VARCHAR, warc_filename VARCHAR,
  warc_record_offset BIGINT, warc_record_length BIGINT, warc_refers_to_date VARCHAR, outcome VARCHAR,
  title VARCHAR, description VARCHAR, text VARCHAR, outlinks INTEGER, outlinks_foreign INTEGER, canonical VARCHAR, redirect_target VARCHAR, etag VARCHAR,
  last_modified VARCHAR, depth INTEGER, hops INTEGER, via VARCHAR, agent VARCHAR, lane INTEGER, attempt INTEGER,
  fetch_ms INTEGER, body_bytes BIGINT`

const LINKS = 'url VARCHAR, target VARCHAR, url_host_name VARCHAR, target_host_name VARCHAR, kind VARCHAR'

export const TABLE_COLUMNS: Readonly<Record<'pages' | 'links', readonly Column[]>> = {
  pages: columnsOf(PAGES),
  links: columnsOf(LINKS),
}

/** What a table holds, for the list that `query` prints without SQL. */
export const TABLE_MEANINGS: Readonly<Record<TableName, string>> = {
  pages: 'one row per URL that was fetched, refused or given up',
  links: 'links between pages: those that leave a site, all with --links all',
  sites: 'one row per site',
}

function columnsOf(text: string): Column[] {
  return text.split(',').map(part => {
    const [name, type] = part.trim().split(' ')
    return { name, type }
  })
}
