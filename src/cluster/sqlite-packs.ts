/** Inboxes, packs, journals and files: the rows that say what has been found, fetched and stored. */
import type { CellId, Epoch } from '../model/cell.js'
import type { Millis } from '../model/clock.js'
import type { MetaInfo } from '../model/page.js'
import type {
  CommitResult,
  FileRow,
  InboxRow,
  Incarnation,
  MetaFacts,
  OriginState,
  PackCell,
  PackFile,
} from './ledger.js'
import type { TextAppend, TextPack } from './row-text.js'
import type { SqliteDatabase } from './sqlite-database.js'
import type { SqliteWork } from './sqlite-work.js'

/** Seeds and the previous crawl come from no agent. */
const NOBODY: Incarnation = 0

export class SqlitePacks {
  readonly #db: SqliteDatabase
  readonly #now: () => Millis
  readonly #work: SqliteWork

  constructor(db: SqliteDatabase, now: () => Millis, work: SqliteWork) {
    this.#db = db
    this.#now = now
    this.#work = work
  }

  append(appends: readonly TextAppend[]): boolean {
    if (!this.#crawlOpen()) return false
    for (const append of appends) this.#appendOne(append, NOBODY)
    return true
  }

  readInbox(cell: CellId, after: number, limit: number): InboxRow[] {
    return this.#db
      .all(
        `SELECT i.position, i.url, i.depth, i.hops, i.score, i.via, a.name
         FROM inbox i LEFT JOIN agent a ON a.incarnation = i.sender
         WHERE i.cell = ? AND i.position > ? ORDER BY i.position LIMIT ?`,
        cell,
        after,
        limit,
      )
      .map(([position, url, depth, hops, score, via, sender]) => ({
        position: Number(position),
        url: String(url),
        depth: Number(depth),
        hops: Number(hops),
        score: Number(score),
        via: String(via),
        sender: sender === null ? '' : String(sender),
      }))
  }

  readJournal(cell: CellId, from: number, maxBytes: number): { number: number; journal: Uint8Array }[] {
    const sizes = this.#db.all(
      'SELECT number, length(journal) FROM pack_cell WHERE cell = ? AND number >= ? ORDER BY number LIMIT 1000',
      cell,
      from,
    )
    let bytes = 0
    let last = 0
    for (const [number, length] of sizes) {
      if (bytes > 0 && bytes + Number(length) > maxBytes) break
      bytes += Number(length)
      last = Number(number)
    }
    return this.#db
      .all(
        'SELECT number, journal FROM pack_cell WHERE cell = ? AND number BETWEEN ? AND ? ORDER BY number',
        cell,
        from,
        last,
      )
      .map(([number, journal]) => ({ number: Number(number), journal: journal as Buffer }))
  }

  readJournals(
    after: { cell: CellId; number: number },
    maxBytes: number,
  ): { cell: CellId; number: number; journal: Uint8Array }[] {
    const sizes = this.#db.all(
      `SELECT cell, number, length(journal) FROM pack_cell WHERE (cell, number) > (?, ?)
       ORDER BY cell, number LIMIT 1000`,
      after.cell,
      after.number,
    )
    let bytes = 0
    let count = 0
    for (const [, , length] of sizes) {
      if (bytes > 0 && bytes + Number(length) > maxBytes) break
      bytes += Number(length)
      count++
    }
    return this.#db
      .all(
        'SELECT cell, number, journal FROM pack_cell WHERE (cell, number) > (?, ?) ORDER BY cell, number LIMIT ?',
        after.cell,
        after.number,
        count,
      )
      .map(([cell, number, journal]) => ({
        cell: String(cell),
        number: Number(number),
        journal: journal as Buffer,
      }))
  }

  commit(pack: TextPack): CommitResult {
    if (this.#db.first('SELECT 1 FROM pack WHERE id = ?', pack.id)) return { status: 'committed' }
    const refusal = this.#refusal(pack)
    if (refusal) return refusal
    const pages = pack.cells.reduce((sum, cell) => sum + cell.pages, 0)
    const bytes = pack.cells.reduce((sum, cell) => sum + cell.bytes, 0)
    const fetchMs = pack.cells.reduce((sum, cell) => sum + cell.fetchMs, 0)
    this.#db.run('INSERT INTO pack VALUES (?, ?, ?, ?)', pack.id, pack.incarnation, this.#now(), pages)
    for (const cell of pack.cells) this.#commitCell(pack.id, cell)
    for (const append of pack.appends) this.#appendOne(append, pack.incarnation)
    for (const file of pack.files) this.#saveFile(file, pack.incarnation)
    for (const wait of pack.waits) this.#saveNextAllowed(wait.group, wait.nextAllowed)
    this.#db.run('UPDATE crawl SET pages = pages + ?', pages)
    this.#db.run(
      `UPDATE agent SET budget = max(0, budget - ?1), pages = pages + ?1, bytes = bytes + ?2, fetch_ms = fetch_ms + ?3,
         fetches = max(fetches, ?4) WHERE incarnation = ?5`,
      pages,
      bytes,
      Math.round(fetchMs),
      pack.fetches,
      pack.incarnation,
    )
    this.#work.add(pack)
    return { status: 'committed' }
  }

  loadOrigins(cell: CellId): OriginState[] {
    return this.#db
      .all(
        'SELECT origin, checked_at, failures, verdict, status, detail, body FROM origin WHERE cell = ?',
        cell,
      )
      .map(([origin, checkedAt, failures, verdict, status, detail, body]) => ({
        origin: String(origin),
        checkedAt: Number(checkedAt),
        failures: Number(failures),
        verdict: String(verdict) as OriginState['verdict'],
        status: Number(status),
        detail: String(detail),
        body: body as Buffer,
      }))
  }

  saveOrigin(cell: CellId, state: OriginState): void {
    this.#db.run(
      'INSERT OR REPLACE INTO origin VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
      cell,
      state.origin,
      state.checkedAt,
      state.failures,
      state.verdict,
      state.status,
      state.detail,
      state.body,
    )
  }

  saveMeta(rows: readonly { cell: CellId; url: string; meta: MetaInfo }[]): void {
    for (const { cell, url, meta } of rows) {
      this.#db.run(
        `INSERT OR REPLACE INTO meta_info (cell, url, etag, last_modified, digest, stored_at, links)
         VALUES (?, ?, ?, ?, ?, ?, ?)`,
        cell,
        url,
        meta.etag,
        meta.lastModified,
        meta.digest,
        meta.storedAt,
        meta.links.join('\n'),
      )
    }
  }

  saveFacts(rows: readonly MetaFacts[]): void {
    for (const { cell, url, digest, facts } of rows)
      this.#db.run(
        'UPDATE meta_info SET facts = ? WHERE cell = ? AND url = ? AND digest = ?',
        facts,
        cell,
        url,
        digest,
      )
  }

  loadMeta(cell: CellId, urls: readonly string[]): Map<string, MetaInfo> {
    const found = new Map<string, MetaInfo>()
    const rows = this.#db.all(
      `SELECT url, etag, last_modified, digest, stored_at, links, facts FROM meta_info
       WHERE cell = ? AND url IN (SELECT value FROM json_each(?))`,
      cell,
      JSON.stringify(urls),
    )
    for (const [url, etag, lastModified, digest, storedAt, links, facts] of rows) {
      found.set(String(url), {
        etag: String(etag),
        lastModified: String(lastModified),
        digest: String(digest),
        storedAt: String(storedAt),
        links: links === '' ? [] : String(links).split('\n'),
        ...(facts === null ? {} : { facts: facts as Uint8Array }),
      })
    }
    return found
  }

  files(): FileRow[] {
    return this.#db
      .all(
        `SELECT f.name, f.kind, f.bytes, f.incarnation, coalesce(a.open, 0)
         FROM file f LEFT JOIN agent a ON a.incarnation = f.incarnation ORDER BY f.name`,
      )
      .map(([name, kind, bytes, incarnation, open]) => ({
        name: String(name),
        kind: String(kind),
        bytes: Number(bytes),
        incarnation: Number(incarnation),
        closed: !open,
      }))
  }

  swapFiles(inputs: readonly string[], outputs: readonly PackFile[], seat?: Epoch): boolean {
    const [epoch, holder, last] = this.#db.first(
      'SELECT seat_epoch, seat_agent, (SELECT coalesce(max(incarnation), 0) FROM agent) FROM crawl',
    )!
    if (seat !== undefined && epoch !== seat) return false
    if (inputs.length > 0 && this.#isSwapped(inputs, outputs)) return true
    const incarnation = seat === undefined ? last : holder
    for (const name of inputs) {
      if (this.#db.run('DELETE FROM file WHERE name = ?', name) === 0) throw new SwapRefused()
    }
    for (const file of outputs) this.#saveFile(file, Number(incarnation))
    return true
  }

  /** The answer to this swap was lost, and it is sent again. */
  #isSwapped(inputs: readonly string[], outputs: readonly PackFile[]): boolean {
    const isListed = (name: string) => this.#db.first('SELECT 1 FROM file WHERE name = ?', name) !== undefined
    return outputs.length > 0 && !inputs.some(isListed) && outputs.every(({ name }) => isListed(name))
  }

  #crawlOpen(): boolean {
    return this.#db.first('SELECT state FROM crawl')![0] === 'open'
  }

  #refusal(pack: TextPack): CommitResult | null {
    const [open] = this.#db.first('SELECT open FROM agent WHERE incarnation = ?', pack.incarnation) ?? [0]
    if (!open) return { status: 'refused', why: 'incarnation-closed' }
    if (!this.#crawlOpen()) return { status: 'refused', why: 'crawl-closed' }
    const stale = pack.cells.filter(cell => !this.#isCurrent(cell)).map(cell => cell.cell)
    if (stale.length > 0) return { status: 'stale', cells: stale }
    const moved = pack.appends.flatMap(append => this.#movedTo(append.cell))
    return moved.length > 0 ? { status: 'moved', cells: moved } : null
  }

  #isCurrent(cell: PackCell): boolean {
    const row = this.#db.first('SELECT epoch, last_pack, state FROM cell WHERE cell = ?', cell.cell)
    if (!row) return false
    const held = row[2] === 'leased' || row[2] === 'draining'
    return held && row[0] === cell.epoch && row[1] === cell.number - 1
  }

  #movedTo(cell: CellId): { cell: CellId; children: CellId[] }[] {
    const [children] = this.#db.first(
      `SELECT children FROM cell WHERE cell = ? AND state = 'closed'`,
      cell,
    ) ?? [null]
    return children === null ? [] : [{ cell, children: JSON.parse(String(children)) as CellId[] }]
  }

  #commitCell(pack: string, cell: PackCell): void {
    this.#db.run(
      'INSERT INTO pack_cell VALUES (?, ?, ?, ?, ?)',
      cell.cell,
      cell.number,
      pack,
      cell.epoch,
      cell.journal,
    )
    this.#db.run(
      `UPDATE cell SET last_pack = ?, consumed = consumed + ?, inbox_cursor = max(inbox_cursor, ?),
         discovered = discovered + ?, settled = settled + ?, pages = pages + ?, bytes = bytes + ?, fetch_ms = fetch_ms + ?,
         first_fetch = CASE first_fetch WHEN 0 THEN ? ELSE first_fetch END, last_fetch = max(last_fetch, ?)
       WHERE cell = ?`,
      cell.number,
      cell.consumed,
      cell.cursor,
      cell.discovered,
      cell.settled,
      cell.pages,
      cell.bytes,
      Math.round(cell.fetchMs),
      Math.round(cell.firstFetch),
      Math.round(cell.lastFetch),
      cell.cell,
    )
    if (cell.consumed > 0)
      this.#db.run('DELETE FROM inbox WHERE cell = ? AND position <= ?', cell.cell, cell.cursor)
    for (const outcome of cell.outcomes) {
      this.#db.run(
        `INSERT INTO cell_outcome VALUES (?, ?, ?, ?)
         ON CONFLICT (cell, code) DO UPDATE SET count = count + excluded.count, detail = excluded.detail`,
        cell.cell,
        outcome.code,
        outcome.count,
        outcome.detail,
      )
    }
  }

  /** Adds rows and counts them in the same row update that turns a finished cell to waiting. */
  #appendOne(append: TextAppend, sender: Incarnation): void {
    this.#ensureCell(append)
    this.#insertRows(append, sender)
    this.#db.run(
      `UPDATE cell SET appended = appended + ?, state = CASE state WHEN 'finished' THEN 'waiting' ELSE state END
       WHERE cell = ?`,
      append.rows,
      append.cell,
    )
  }

  /** All rows in one statement: half the price of one each. */
  #insertRows({ cell, json }: TextAppend, sender: Incarnation): void {
    this.#db.run(
      `INSERT INTO inbox (cell, sender, url, depth, hops, score, via)
       SELECT ?, ?, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4 FROM json_each(?)`,
      cell,
      sender,
      json,
    )
  }

  /** A newly discovered site goes to the tail of S (D19). */
  #ensureCell(append: TextAppend): void {
    if (this.#db.first('SELECT 1 FROM cell WHERE cell = ?', append.cell)) return
    const [rank] = this.#db.first('UPDATE crawl SET next_rank = next_rank + 1 RETURNING next_rank')!
    this.#db.run(
      `INSERT INTO cell (cell, grp, state, agent, epoch, lease_until, rank, last_pack, appended, consumed, inbox_cursor,
         parked_until, children, discovered, settled, pages, bytes, fetch_ms, first_fetch, last_fetch, size_estimate)
       VALUES (?, ?, 'waiting', NULL, 0, 0, ?, 0, 0, 0, 0, 0, NULL, 0, 0, 0, 0, 0, 0, 0, 0)`,
      append.cell,
      append.group,
      rank,
    )
  }

  #saveFile(file: PackFile, incarnation: number): void {
    this.#db.run(
      `INSERT INTO file VALUES (?, ?, ?, ?)
       ON CONFLICT (name) DO UPDATE SET bytes = excluded.bytes, kind = excluded.kind`,
      file.name,
      incarnation,
      file.kind,
      file.bytes,
    )
  }

  #saveNextAllowed(group: string, nextAllowed: Millis): void {
    this.#db.run(
      `INSERT INTO turn (grp, agent, epoch, lease_until, next_allowed) VALUES (?, NULL, 0, 0, ?)
       ON CONFLICT (grp) DO UPDATE SET next_allowed = max(next_allowed, excluded.next_allowed)`,
      group,
      Math.ceil(nextAllowed),
    )
  }
}

/** Undoes a swap whose inputs are no longer all listed. */
export class SwapRefused extends Error {}
