/** Packs: the one transaction that acknowledges pages, and the checks that fence off stale leases. */
import { type CellId, siteOfCell } from '../../model/index.js'
import type { CellState, CommitResult, Incarnation, LinkBatch, MetaFacts, Pack, PackCell } from '../index.js'
import { isHeldUnder, isNextPack } from '../rules/index.js'
import { addWork, isOfThisTimeline, saveFiles, saveWaits } from '../sql/index.js'
import { joinedBytes, textArray } from './postgres-connection.js'
import { TIMELINE } from './postgres-crawls.js'
import { answer, type Transaction } from './postgres-database.js'
import { addRows } from './postgres-inboxes.js'

interface CellNow {
  readonly epoch: number
  readonly lastPack: number
  readonly state: CellState
  readonly children: string | null
}

/**
 * Locks the crawl row against its end, the incarnation against its closing, and then all cells of the pack in
 * the order of their names: what is checked stays true until the commit. The id is looked up under the
 * incarnation's lock, so that a repeated pack waits for the first one.
 */
export async function commit(tx: Transaction, pack: Pack): Promise<CommitResult> {
  const closed = await lockIncarnation(tx, pack.incarnation)
  if (await tx.first('SELECT 1 FROM pack WHERE id = $1', pack.id)) return { status: 'committed' }
  if (closed) return closed
  const refusal = refusalOf(
    pack,
    pack.cells,
    await lockCells(tx, [...pack.cells, ...pack.appends]),
    isCurrent,
  )
  if (refusal) return refusal
  const pages = pack.cells.reduce((sum, cell) => sum + cell.pages, 0)
  await tx.run('INSERT INTO pack VALUES ($1, $2, $3, $4)', pack.id, pack.incarnation, tx.now, pages)
  await commitCells(tx, pack)
  await addRows(tx, pack.appends, pack.incarnation)
  await answer(tx, saveFiles(pack.files, pack.incarnation))
  await answer(tx, saveWaits(pack.waits))
  await answer(tx, addWork(pack))
  return { status: 'committed' }
}

export async function appendLinks(tx: Transaction, batch: LinkBatch): Promise<CommitResult> {
  const { incarnation, sources, appends } = batch
  const closed = await lockIncarnation(tx, incarnation)
  if (closed) return closed
  const refusal = refusalOf(batch, sources, await lockCells(tx, [...sources, ...appends]), isHeld)
  if (refusal) return refusal
  await addRows(tx, appends, incarnation)
  return { status: 'committed' }
}

/** The refusal if the incarnation or the crawl is closed. */
async function lockIncarnation(tx: Transaction, incarnation: Incarnation): Promise<CommitResult | null> {
  const [state, open] = (await tx.first(
    `SELECT c.state, agent.open = 1 AND ${isOfThisTimeline(TIMELINE)} FROM crawl c, agent WHERE agent.incarnation = $1
     FOR KEY SHARE OF c FOR NO KEY UPDATE OF agent`,
    incarnation,
  )) ?? ['', false]
  if (open !== true) return { status: 'refused', why: 'incarnation-closed' }
  return state === 'open' ? null : { status: 'refused', why: 'crawl-closed' }
}

/** Locks the cells of a pack and the targets of its links in one pass. */
async function lockCells(
  tx: Transaction,
  cells: readonly { readonly cell: CellId }[],
): Promise<Map<CellId, CellNow>> {
  const names = new Set(cells.map(({ cell }) => cell))
  const rows = await tx.all(
    `SELECT cell, epoch, last_pack, state, children FROM cell WHERE cell = ANY($1::text[]) ORDER BY cell FOR UPDATE`,
    textArray([...names]),
  )
  return new Map(
    rows.map(([cell, epoch, lastPack, state, children]) => [
      String(cell),
      {
        epoch: Number(epoch),
        lastPack: Number(lastPack),
        state: String(state) as CellState,
        children: children as string | null,
      },
    ]),
  )
}

function refusalOf<PackCellRow extends SourceCell>(
  { appends }: Pick<Pack, 'appends'>,
  shares: readonly PackCellRow[],
  cells: ReadonlyMap<CellId, CellNow>,
  isOurs: (share: PackCellRow, now: CellNow | undefined) => boolean,
): CommitResult | null {
  const stale = shares.filter(share => !isOurs(share, cells.get(share.cell))).map(({ cell }) => cell)
  if (stale.length > 0) return { status: 'stale', cells: stale }
  const moved = appends.flatMap(({ cell }) => {
    const now = cells.get(cell)
    if (now?.state !== 'closed' || now.children === null) return []
    return [{ cell, children: JSON.parse(now.children) as CellId[] }]
  })
  return moved.length > 0 ? { status: 'moved', cells: moved } : null
}

type SourceCell = Pick<PackCell, 'cell' | 'epoch'>

function isCurrent(share: PackCell, now: CellNow | undefined): boolean {
  return isHeld(share, now) && isNextPack(now!.lastPack, share.number)
}

function isHeld({ epoch }: SourceCell, now: CellNow | undefined): boolean {
  return now !== undefined && isHeldUnder(now.state, now.epoch, epoch)
}

async function commitCells(tx: Transaction, { id, cells }: Pack): Promise<void> {
  if (cells.length === 0) return
  const names = textArray(cells.map(({ cell }) => cell))
  await saveJournals(tx, id, names, cells)
  const whole = (of: (cell: PackCell) => number) => cells.map(cell => Math.round(of(cell)))
  await tx.run(
    `UPDATE cell SET last_pack = s.number, consumed = consumed + s.taken,
       inbox_cursor = greatest(inbox_cursor, s.cursor), discovered = discovered + s.found, settled = settled + s.done,
       pages = pages + s.got, bytes = bytes + s.size, fetch_ms = fetch_ms + s.ms,
       first_fetch = CASE first_fetch WHEN 0 THEN s.since ELSE first_fetch END,
       last_fetch = greatest(last_fetch, s.until)
     FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[],
       $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[])
       AS s (name, number, taken, cursor, found, done, got, size, ms, since, until) WHERE cell = s.name`,
    names,
    whole(cell => cell.number),
    whole(cell => cell.consumed),
    whole(cell => cell.cursor),
    whole(cell => cell.discovered),
    whole(cell => cell.settled),
    whole(cell => cell.pages),
    whole(cell => cell.bytes),
    whole(cell => cell.fetchMs),
    whole(cell => cell.firstFetch),
    whole(cell => cell.lastFetch),
  )
  await dropConsumed(tx, cells)
  await countOutcomes(tx, cells)
}

async function saveJournals(
  tx: Transaction,
  pack: string,
  names: string,
  cells: readonly PackCell[],
): Promise<void> {
  const { bytes, starts, lengths } = joinedBytes(cells.map(({ journal }) => journal))
  await tx.run(
    `INSERT INTO pack_cell (cell, number, pack, epoch, journal)
     SELECT s.cell, s.number, $1, s.epoch, substring($2::bytea FROM s.start FOR s.length)
     FROM unnest($3::text[], $4::bigint[], $5::bigint[], $6::int[], $7::int[]) AS s (cell, number, epoch, start, length)`,
    pack,
    bytes,
    names,
    cells.map(({ number }) => number),
    cells.map(({ epoch }) => epoch),
    starts,
    lengths,
  )
}

async function dropConsumed(tx: Transaction, cells: readonly PackCell[]): Promise<void> {
  const read = cells.filter(({ consumed }) => consumed > 0)
  if (read.length === 0) return
  await tx.run(
    `DELETE FROM inbox USING unnest($1::text[], $2::bigint[]) AS read (name, cursor)
     WHERE cell = read.name AND position <= read.cursor`,
    textArray(read.map(({ cell }) => cell)),
    read.map(({ cursor }) => cursor),
  )
}

async function countOutcomes(tx: Transaction, cells: readonly PackCell[]): Promise<void> {
  const rows = cells.flatMap(({ cell, outcomes }) => outcomes.map(outcome => ({ cell, ...outcome })))
  if (rows.length === 0) return
  await tx.run(
    `INSERT INTO cell_outcome (cell, code, count, detail)
     SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[])
     ON CONFLICT (cell, code) DO UPDATE SET count = cell_outcome.count + excluded.count, detail = excluded.detail`,
    textArray(rows.map(({ cell }) => cell)),
    textArray(rows.map(({ code }) => code)),
    rows.map(({ count }) => count),
    textArray(rows.map(({ detail }) => detail)),
  )
}

export async function saveFacts(tx: Transaction, rows: readonly MetaFacts[]): Promise<void> {
  const { bytes, starts, lengths } = joinedBytes(rows.map(({ facts }) => facts))
  await tx.run(
    `UPDATE meta_info SET facts = substring($1::bytea FROM f.start FOR f.length)
     FROM unnest($2::text[], $3::text[], $4::text[], $5::int[], $6::int[]) AS f (cell, url, digest, start, length)
     WHERE meta_info.cell = f.cell AND meta_info.url = f.url AND meta_info.digest = f.digest`,
    bytes,
    textArray(rows.map(({ cell }) => siteOfCell(cell))),
    textArray(rows.map(({ url }) => url)),
    textArray(rows.map(({ digest }) => digest)),
    starts,
    lengths,
  )
}
