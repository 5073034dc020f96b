/** What the maker of the fixtures and the test that uses them agree on. */
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { orbweaver } from '../kit/orbweaver.js'

/** One folder for every version whose crawls can be resumed. */
export const FIXTURES = fileURLToPath(new URL('fixtures', import.meta.url))
/**
 * Crawl directories remember where their names lead, and where their ledger is: both are always served here.
 */
export const WEB_PORT = 18_617
export const LEDGER_PORT = 18_618
const WAIT_MS = 120_000
const LOOK_MS = 200
/** The crawl's name in a database. */
export const NAME = 'upgrade'
export const PAGE_LIMIT = 17

/** Listens on a port that the fixtures name; waits while another test run on this machine has it. */
export async function listenOn<T>(port: number, listen: (port: number) => Promise<T>): Promise<T> {
  for (const end = Date.now() + WAIT_MS; ; await sleep(LOOK_MS)) {
    try {
      return await listen(port)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
      if (Date.now() > end)
        throw new Error(
          `another program listens on port ${port}, which the fixtures name: stop it, then test again`,
        )
    }
  }
}

export interface Tables {
  readonly pages: readonly Readonly<Record<string, unknown>>[]
  readonly links: readonly Readonly<Record<string, unknown>>[]
}

/** Every row of the tables, as the command prints them. */
export async function tablesOf(directory: string): Promise<Tables> {
  return {
    pages: (await rowsOf(directory, 'SELECT * FROM pages ORDER BY url')).map(withoutNew),
    links: await rowsOf(directory, 'SELECT * FROM links ORDER BY ALL'),
  }
}

/** Columns that versions after the fixtures have added are NULL in crawls without what fills them. */
function withoutNew(row: Record<string, unknown>): Record<string, unknown> {
  const { kept, ...rest } = row
  return kept === null ? rest : row
}

async function rowsOf(directory: string, sql: string): Promise<Record<string, unknown>[]> {
  const { code, stdout, stderr } = await orbweaver(['query', directory, sql, '--format', 'json'])
  if (code !== 0) throw new Error(`query ended with code ${code}: ${stderr}`)
  return JSON.parse(stdout) as Record<string, unknown>[]
}
