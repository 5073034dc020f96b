/**
 * Crawls that an earlier version began are read and finished by this one: for every version in `fixtures/`, a
 * directory with SQLite, one whose ledger is in PostgreSQL, and one of a crawl that was killed.
 * `make-fixtures.ts` makes them.
 *
 * @module-tag deep
 */
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EXIT } from '../../src/cli/exit/index.js'
import { checkWarcs } from '../kit/crawled.js'
import { type Ended, orbweaver, temporary } from '../kit/orbweaver.js'
import { PostgresServer } from '../kit/postgres.js'
import type { SmallWeb } from '../kit/small-web.js'
import { TcpProxy } from '../kit/tcp-proxy.js'
import { FIXTURES, LEDGER_PORT, listenOn, PAGE_LIMIT, type Tables, tablesOf } from './fixtures.js'
import { unpackFolder } from './packing.js'
import { loadDump } from './postgres-dump.js'
import { serveWeb, truth } from './web.js'

/** A fixture was not created by this user, who says once that it is trusted. */
const TRUST = '--trust'

async function done(args: readonly string[], code: number = EXIT.done): Promise<Ended> {
  const ended = await orbweaver(args)
  expect(ended.code, `${args.join(' ')}: ${ended.stderr}`).toBe(code)
  return ended
}

function pagesIn({ pages }: Tables): number {
  return pages.filter(({ outcome }) => outcome === 'OK').length
}

async function hasStatus(directory: string, expected: object): Promise<void> {
  expect(JSON.parse((await done(['status', directory, '--json'])).stdout)).toMatchObject(expected)
}

/** Commands that need the directory alone, whether the crawl has ended or not. */
async function readsAll(directory: string, expected: Tables): Promise<void> {
  expect(await tablesOf(directory)).toEqual(expected)
  const exported = temporary('exported')
  await done(['export', directory, '--to', 'jsonl', '--out', `${exported}.jsonl`])
  const lines = readFileSync(`${exported}.jsonl`, 'utf8').trimEnd().split('\n')
  expect(lines.map(line => JSON.parse(line).url).sort()).toEqual(expected.pages.map(({ url }) => url).sort())
  for (const kind of ['files', 'markdown']) {
    const folder = `${exported}-${kind}`
    await done(['export', directory, '--to', kind, '--out', folder])
    const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    expect(files.filter(entry => entry.isFile()).length).toBeGreaterThanOrEqual(pagesIn(expected))
  }
}

/**
 * At its limit a crawl ends again at once, and a restored database is adopted by that. Then the limit is
 * lifted.
 */
async function endsAtLimit(directory: string): Promise<void> {
  await done(['resume', directory], EXIT.untrusted)
  await done(['resume', directory, TRUST], EXIT.limit)
  await hasStatus(directory, { finishReason: 'limit', pages: PAGE_LIMIT })
  await done(['set', directory, 'maxPages='])
}

/** What is left is crawled; nothing that was stored is asked for again. */
async function finishes(
  directory: string,
  before: Tables,
  web: SmallWeb,
  ...flags: readonly string[]
): Promise<void> {
  const asked = web.asked.length
  await done(['resume', directory, ...flags])
  const all = truth()
  await hasStatus(directory, {
    finishReason: 'done',
    pages: all.filter(({ outcome }) => outcome === 'OK').length,
  })
  const stored = new Set(before.pages.map(({ url }) => url))
  expect(web.asked.slice(asked).filter(entry => stored.has(`http://${entry}`))).toEqual([])
  const after = await tablesOf(directory)
  const said = after.pages.map(({ url, outcome, title }) => ({ url, outcome, title }))
  expect(said).toEqual(all)
  expect(after.pages.filter(({ url }) => stored.has(url))).toEqual(before.pages)
  expect((await checkWarcs(directory)).problems).toEqual([])
  await readsAll(directory, after)
  await done(['verify', directory])
}

describe.each(readdirSync(FIXTURES))('a crawl of version %s', version => {
  const read = (name: string) => readFileSync(join(FIXTURES, version, name))
  /** The directory of a fixture, and what its tables hold. */
  const open = (kind: string): [string, Tables] => {
    const directory = temporary(kind)
    unpackFolder(read(`${kind}.folder.gz`), directory)
    return [directory, JSON.parse(gunzipSync(read(`${kind}.rows.json.gz`)).toString())]
  }
  let web: SmallWeb
  beforeAll(async () => {
    web = await serveWeb()
  })
  afterAll(() => web.close())

  it('with SQLite is verified, read, exported, resumed to its end and repaired', async () => {
    const [directory, before] = open('sqlite')
    await done(['verify', directory])
    await readsAll(directory, before)
    const [index] = readdirSync(join(directory, 'archive')).filter(name => name.endsWith('.cdxj'))
    await endsAtLimit(directory)
    await finishes(directory, before, web)
    rmSync(join(directory, 'archive', index))
    await done(['repair', directory])
    await done(['verify', directory])
  })

  it('that was killed is verified, read, exported and resumed to its end', async () => {
    const [directory, before] = open('killed')
    const logs = readdirSync(join(directory, 'tables/pages')).filter(name => !name.endsWith('.parquet'))
    expect(logs).not.toEqual([])
    await done(['verify', directory])
    await readsAll(directory, before)
    await finishes(directory, before, web, TRUST)
  })

  it('with PostgreSQL is read and exported without its database, and resumed from a dump', async () => {
    const [directory, before] = open('postgres')
    await readsAll(directory, before)
    const postgres = await PostgresServer.start()
    const proxy = await listenOn(LEDGER_PORT, port => TcpProxy.listen('127.0.0.1', postgres.port, port))
    try {
      await loadDump(postgres.url(), gunzipSync(read('postgres.sql.gz')).toString())
      await endsAtLimit(directory)
      await finishes(directory, before, web)
    } finally {
      await proxy.close()
      await postgres.remove()
    }
  })
})
