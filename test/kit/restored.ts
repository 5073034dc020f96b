/**
 * Backups as docs/how-to/back-up-and-restore.md tells to take them, and how to see that nothing was changed.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { postgresBinaries } from './postgres-binaries.js'

/**
 * Copies the schema of a crawl into a database of its own, on the same server or another: pg_dump and
 * pg_restore, or, where PostgreSQL comes without them, a copy of the whole database, which is for the same
 * server only.
 */
export async function restoreDatabase(from: string, crawl: string, to: string): Promise<void> {
  const name = new URL(to).pathname.slice(1)
  const server = to.slice(0, to.lastIndexOf('/') + 1)
  const tool = (program: string) => join(postgresBinaries(), program)
  if (!existsSync(tool('pg_dump'))) {
    if (!from.startsWith(server)) throw new Error('without pg_dump a database stays on its server')
    await ask(`${server}template1`, `CREATE DATABASE ${name} TEMPLATE ${new URL(from).pathname.slice(1)}`)
    return
  }
  await ask(`${server}template1`, `CREATE DATABASE ${name}`)
  const dump = execFileSync(tool('pg_dump'), ['-Fc', '-n', `"orbweaver ${crawl}"`, from], {
    maxBuffer: 2 ** 30,
  })
  execFileSync(tool('pg_restore'), ['-d', to], { input: dump })
}

/** Whether a dump can go to another server. */
export const canMoveServers = (): boolean => existsSync(join(postgresBinaries(), 'pg_dump'))

/** Every file of a directory with the digest of its content. */
export function contentsOf(directory: string): Record<string, string> {
  const files: Record<string, string> = {}
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    files[path.slice(directory.length + 1)] = createHash('sha256').update(readFileSync(path)).digest('hex')
  }
  return files
}

/** Digests of all tables of a crawl. */
export async function rowsOf(url: string, crawl: string): Promise<Record<string, string>> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const schema = `"orbweaver ${crawl}"`
    const { rows } = await client.query<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'orbweaver ${crawl}'`,
    )
    const digests: Record<string, string> = {}
    for (const { name } of rows) {
      const text = `SELECT coalesce(md5(string_agg(t::text, ',' ORDER BY t::text)), '') AS digest FROM ${schema}.${name} t`
      digests[name] = (await client.query<{ digest: string }>(text)).rows[0].digest
    }
    return digests
  } finally {
    await client.end()
  }
}

async function ask(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query(sql).finally(() => client.end())
}
