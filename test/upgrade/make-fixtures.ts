/**
 * Makes the fixtures of the version in package.json, those that are there replaced:
 *
 *   npm run build && npx tsx test/upgrade/make-fixtures.ts
 *
 * A crawl of the web in `web.ts` is stopped by its page limit, so that much is left to resume, once with
 * SQLite and once with PostgreSQL; another is killed, so that its rows are still in logs. Run it for a new
 * version of a format; fixtures of released versions are never made again.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { EXIT } from '../../src/cli/exit/index.js'
import { schemaOf } from '../../src/ledger/postgres/index.js'
import { VERSION } from '../../src/model/index.js'
import { orbweaver, start } from '../kit/orbweaver.js'
import { PostgresServer } from '../kit/postgres.js'
import { TcpProxy } from '../kit/tcp-proxy.js'
import { FIXTURES, LEDGER_PORT, listenOn, NAME, PAGE_LIMIT, tablesOf } from './fixtures.js'
import { packFolder } from './packing.js'
import { dumpSchema } from './postgres-dump.js'
import { SEEDS, serveWeb } from './web.js'

/** Of the crawl that is killed, at least. */
const KILLED_PAGES = 6

const target = join(FIXTURES, VERSION)
const work = mkdtempSync(join(tmpdir(), 'orbweaver-upgrade-'))
process.env.TMPDIR = work
process.env.ORBWEAVER_STATE = join(work, 'state')
const web = await serveWeb()
const postgres = await PostgresServer.start()
const proxy = await listenOn(LEDGER_PORT, port => TcpProxy.listen('127.0.0.1', postgres.port, port))
try {
  rmSync(target, { recursive: true, force: true })
  mkdirSync(target, { recursive: true })
  await makeLimited('sqlite')
  await makeLimited('postgres', '--ledger', `postgres://orbweaver@127.0.0.1:${LEDGER_PORT}/postgres`)
  save('postgres.sql.gz', gzipSync(await dumpSchema(postgres.url(), schemaOf(NAME)), { level: 9 }))
  await makeKilled('killed')
} finally {
  await proxy.close()
  await postgres.remove()
  await web.close()
  rmSync(work, { recursive: true, force: true })
}

async function makeLimited(kind: string, ...flags: string[]): Promise<void> {
  const ended = await orbweaver(crawlOf(kind, '--agents', '2', '--max-pages', String(PAGE_LIMIT), ...flags))
  if (ended.code !== EXIT.limit) throw new Error(`the crawl ended with code ${ended.code}: ${ended.stderr}`)
  await keep(kind)
}

/** Killed once some pages are committed; the delay keeps it from getting to its end before. */
async function makeKilled(kind: string): Promise<void> {
  const crawl = start(crawlOf(kind, '--delay', '2000'))
  while (!(await hasPages(kind))) if (crawl.process.exitCode !== null) throw new Error(crawl.said())
  crawl.process.kill('SIGKILL')
  await crawl.ended
  await keep(kind)
}

async function hasPages(kind: string): Promise<boolean> {
  await orbweaver(['checkpoint', join(work, kind)])
  const { stdout } = await orbweaver(['status', join(work, kind), '--json'])
  return stdout !== '' && JSON.parse(stdout).pages >= KILLED_PAGES
}

function crawlOf(kind: string, ...flags: string[]): string[] {
  return ['crawl', ...SEEDS, ...web.flags, '--name', NAME, '--out', join(work, kind), ...flags]
}

async function keep(kind: string): Promise<void> {
  const directory = join(work, kind)
  save(`${kind}.folder.gz`, packFolder(directory))
  save(`${kind}.rows.json.gz`, gzipSync(JSON.stringify(await tablesOf(directory)), { level: 9 }))
}

function save(name: string, bytes: Buffer): void {
  writeFileSync(join(target, name), bytes)
  process.stdout.write(`${join(target, name)}: ${bytes.length} bytes\n`)
}
