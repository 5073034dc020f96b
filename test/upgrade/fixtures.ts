/** What the maker of the fixtures and the test that uses them agree on. */
import { fileURLToPath } from 'node:url'
import { orbweaver } from '../kit/orbweaver.js'

/** One folder for every version whose crawls can be resumed. */
export const FIXTURES = fileURLToPath(new URL('fixtures', import.meta.url))
/**
 * Where the crawl with PostgreSQL remembers its ledger; whoever serves the web of the fixtures may listen
 * there.
 */
export const LEDGER_PORT = 18_618
/** The crawl's name in a database. */
export const NAME = 'upgrade'
export const PAGE_LIMIT = 17

export interface Tables {
  readonly pages: readonly Readonly<Record<string, unknown>>[]
  readonly links: readonly Readonly<Record<string, unknown>>[]
}

/** Every row of the tables, as the command prints them. */
export async function tablesOf(directory: string): Promise<Tables> {
  return {
    pages: await rowsOf(directory, 'SELECT * FROM pages ORDER BY url'),
    links: await rowsOf(directory, 'SELECT * FROM links ORDER BY ALL'),
  }
}

async function rowsOf(directory: string, sql: string): Promise<Record<string, unknown>[]> {
  const { code, stdout, stderr } = await orbweaver(['query', directory, sql, '--format', 'json'])
  if (code !== 0) throw new Error(`query ended with code ${code}: ${stderr}`)
  return JSON.parse(stdout) as Record<string, unknown>[]
}
