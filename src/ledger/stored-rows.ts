/** Rows as SQLite and PostgreSQL give them, columns in this order, and what they say. */
import type { CellId, GroupId, MetaInfo, OutcomeCode } from '../model/index.js'
import { isInsideName } from '../model/url/index.js'
import { LedgerError } from './ledger-error.js'
import type {
  CellState,
  FileRow,
  LaneLoad,
  OriginState,
  ParkedCell,
  RefusedOrigins,
  SiteSummary,
  WaitingCell,
} from './ledger-rows.js'
import type { OutcomeCount } from './pack-rows.js'

type Columns = readonly unknown[]

/**
 * The name of a file of the crawl. A ledger may come from somebody else; files by such names are cut and
 * removed.
 */
function listedName(name: unknown): string {
  const text = String(name)
  if (isInsideName(text)) return text
  throw new LedgerError(
    'corrupt',
    `the ledger lists a file outside of the crawl directory: ${JSON.stringify(text)}; do not use it`,
  )
}

/** name, kind, bytes, crc32 */
export function listedFile([name, kind, bytes, crc32]: Columns): Omit<FileRow, 'incarnation' | 'closed'> {
  const file = {
    name: listedName(name),
    kind: String(kind),
    bytes: Number(bytes),
    crc32: crc32 === null ? null : Number(crc32),
  }
  if (isCount(file.bytes) && (file.crc32 === null || isCount(file.crc32))) return file
  throw new LedgerError(
    'corrupt',
    `the ledger is damaged: it lists ${file.name} with an impossible length or digest`,
  )
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0
}

/** origin, checked_at, failures, verdict, status, detail, body */
export function originState([
  origin,
  checkedAt,
  failures,
  verdict,
  status,
  detail,
  body,
]: Columns): OriginState {
  return {
    origin: String(origin),
    checkedAt: Number(checkedAt),
    failures: Number(failures),
    verdict: String(verdict) as OriginState['verdict'],
    status: Number(status),
    detail: String(detail),
    body: body as Buffer,
  }
}

/** origin, checked_at, failures, status, detail */
export function refusedOrigin([
  origin,
  checkedAt,
  failures,
  status,
  detail,
]: Columns): RefusedOrigins['first'][number] {
  return {
    origin: String(origin),
    checkedAt: Number(checkedAt),
    failures: Number(failures),
    status: Number(status),
    detail: String(detail),
  }
}

/** url, etag, last_modified, digest, stored_at, links, facts: the URL, and what is known of it */
export function metaInfo([url, etag, lastModified, digest, storedAt, links, facts]: Columns): [
  string,
  MetaInfo,
] {
  const meta = {
    etag: String(etag),
    lastModified: String(lastModified),
    digest: String(digest),
    storedAt: String(storedAt),
    links: links === '' ? [] : String(links).split('\n'),
    ...(facts === null ? {} : { facts: facts as Uint8Array }),
  }
  return [String(url), meta]
}

/** code, count, detail */
export function outcomeCount([code, count, detail]: Columns): OutcomeCount {
  return { code: String(code) as OutcomeCode, count: Number(count), detail: String(detail) }
}

/** code, count, detail, cell */
export function outcomesOf(rows: readonly Columns[]): Map<CellId, OutcomeCount[]> {
  const found = new Map<CellId, OutcomeCount[]>()
  for (const row of rows) {
    const cell = String(row[3])
    const known = found.get(cell)
    if (known) known.push(outcomeCount(row))
    else found.set(cell, [outcomeCount(row)])
  }
  return found
}

/** cell, parked_until, parked_why, and the URLs that wait in it */
export function parkedCell([cell, until, why, queued]: Columns): ParkedCell {
  return { cell: String(cell), until: Number(until), why: String(why), queued: Number(queued) }
}

/** cell, state, pages, bytes, fetch_ms, discovered, settled, first_fetch, last_fetch */
export function siteSummary(
  [cell, state, ...counts]: Columns,
  outcomes: readonly OutcomeCount[],
): SiteSummary {
  const [pages, bytes, fetchMs, discovered, settled, firstFetch, lastFetch] = counts.map(Number)
  return {
    cell: String(cell),
    state: String(state) as CellState,
    pages,
    bytes,
    fetchMs,
    firstFetch,
    lastFetch,
    discovered,
    settled,
    outcomes,
  }
}

/** cell, grp, rank, size, backlog, holder and group of a turn as one text, bound_agent, bound_lane */
export function waitingCell([cell, group, rank, size, backlog, held, agent, lane]: Columns): WaitingCell {
  return {
    cell: String(cell),
    group: String(group),
    rank: Number(rank),
    size: Number(size),
    backlog: Number(backlog),
    ...turnIn(held as string | null, String(group)),
    boundTo: agent === null ? null : { agent: String(agent), lane: Number(lane) },
  }
}

function turnIn(held: string | null, own: GroupId): Pick<WaitingCell, 'turnOf' | 'turn'> {
  if (held === null) return { turnOf: null, turn: own }
  const space = held.indexOf(' ')
  return { turnOf: Number(held.slice(0, space)), turn: held.slice(space + 1) }
}

/** bound_agent, bound_lane, and how many cells of which size are bound to it */
export function laneLoad([agent, lane, cells, size]: Columns): LaneLoad {
  return { agent: String(agent), lane: Number(lane), cells: Number(cells), size: Number(size) }
}
