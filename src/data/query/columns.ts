/**
 * The columns of the tables in SQL. They are listed here because a table without rows, or of an older
 * version, must have them too.
 */
import { PAGE_CODES } from '../../model/index.js'

export type TableName = 'pages' | 'links' | 'items' | 'sites'

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
  fetch_ms INTEGER, body_bytes BIGINT, kept VARCHAR`

const LINKS = 'url VARCHAR, target VARCHAR, url_host_name VARCHAR, target_host_name VARCHAR, kind VARCHAR'

const ITEMS = 'page_url VARCHAR, page_row INTEGER'

/** Items have the columns of their guest besides. */
export const TABLE_COLUMNS: Readonly<Record<'pages' | 'links' | 'items', readonly Column[]>> = {
  pages: columnsOf(PAGES),
  links: columnsOf(LINKS),
  items: columnsOf(ITEMS),
}

/** What a table holds, for the list that `query` prints without SQL. */
export const TABLE_MEANINGS: Readonly<Record<TableName, string>> = {
  pages: 'one row per URL that was fetched, refused or given up',
  links: 'links between pages: those that leave a site, all with --links all',
  items: 'rows that the guest extracted from pages',
  sites: 'one row per site',
}

/** True for rows of URLs that brought a page. */
export const IS_PAGE = `outcome IN (${PAGE_CODES.map(code => `'${code}'`).join(', ')})`

function columnsOf(text: string): Column[] {
  return text.split(',').map(part => {
    const [name, type] = part.trim().split(' ')
    return { name, type }
  })
}
