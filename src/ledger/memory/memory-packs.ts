/** Inboxes, packs, journals, files and site facts in memory. */

import { type CellId, type Epoch, firstIndex, type MetaInfo, siteOfCell } from '../../model/index.js'
import type {
  Append,
  CommitResult,
  FileRow,
  InboxRow,
  Incarnation,
  LinkBatch,
  MetaFacts,
  OriginState,
  Pack,
  PackCell,
  PackFile,
  RefusedOrigins,
} from '../index.js'
import { debited, fileSwap, isHeldUnder, isNextPack } from '../rules/index.js'
import { MemoryJournals, SharedRows } from './memory-compact.js'
import type { CellRow, MemoryState } from './memory-state.js'
import type { MemoryTurns } from './memory-turns.js'
import type { MemoryWork } from './memory-work.js'

type SourceCell = Pick<PackCell, 'cell' | 'epoch'>

interface Listed {
  readonly kind: string
  readonly incarnation: Incarnation
  readonly bytes: number
  readonly crc32: number | null
}

export class MemoryPacks {
  readonly #state: MemoryState
  readonly #turns: MemoryTurns
  readonly #work: MemoryWork
  readonly #ids = new Set<string>()
  readonly #files = new Map<string, Listed>()
  readonly #origins = new Map<CellId, readonly OriginState[]>()
  readonly #journals = new MemoryJournals()
  readonly #shared = new SharedRows()
  readonly #meta = new Map<CellId, Map<string, MetaInfo>>()
  #lastPosition = 0

  constructor(state: MemoryState, turns: MemoryTurns, work: MemoryWork) {
    this.#state = state
    this.#turns = turns
    this.#work = work
  }

  append(appends: readonly Append[]): boolean {
    if (!this.#state.open || appends.some(({ cell }) => this.#movedTo(cell) !== null)) return false
    for (const append of appends) this.#appendOne(append, '')
    return true
  }

  appendLinks(batch: LinkBatch): CommitResult {
    const refusal = this.#refusal(batch, batch.sources, cell => this.#isHeld(cell))
    if (refusal) return refusal
    const { name } = this.#state.incarnationRow(batch.incarnation)!
    for (const append of batch.appends) this.#appendOne(append, name)
    return { status: 'committed' }
  }

  readInbox(cell: CellId, after: number, limit: number): InboxRow[] {
    const inbox = this.#state.cells.get(cell)?.inbox
    if (!inbox) return []
    const start = firstAfter(inbox, after)
    return inbox.slice(start, start + limit)
  }

  readJournal(cell: CellId, from: number, maxBytes: number): { number: number; journal: Uint8Array }[] {
    const found: { number: number; journal: Uint8Array }[] = []
    let bytes = 0
    for (const row of cellAndAncestors(this.#state.cells.get(cell))) {
      for (const own of this.#ownJournals(row, from)) {
        if (bytes > 0 && bytes + own.journal.length > maxBytes) return found
        bytes += own.journal.length
        found.push(own)
      }
    }
    return found
  }

  readJournals(
    after: { cell: CellId; number: number },
    maxBytes: number,
  ): { cell: CellId; number: number; journal: Uint8Array }[] {
    const found: { cell: CellId; number: number; journal: Uint8Array }[] = []
    let bytes = 0
    for (const cell of [...this.#state.cells.keys()].sort()) {
      if (cell < after.cell) continue
      const row = this.#state.cells.get(cell)!
      for (const { number, journal } of this.#ownJournals(row, cell === after.cell ? after.number + 1 : 1)) {
        if (bytes > 0 && bytes + journal.length > maxBytes) return found
        bytes += journal.length
        found.push({ cell, number, journal })
      }
    }
    return found
  }

  *#ownJournals(row: CellRow, from: number): Iterable<{ number: number; journal: Uint8Array }> {
    const { journals, inherited } = row
    if (journals === null) return
    for (let own = Math.max(1, from - inherited); 2 * own <= journals.length; own++)
      yield {
        number: inherited + own,
        journal: this.#journals.read(journals[2 * own - 2], journals[2 * own - 1]),
      }
  }

  commit(pack: Pack): CommitResult {
    if (this.#ids.has(pack.id)) return { status: 'committed' }
    const refusal = this.#refusal(pack, pack.cells, cell => this.#isCurrent(cell))
    if (refusal) return refusal
    this.#ids.add(pack.id)
    const incarnationRow = this.#state.incarnationRow(pack.incarnation)!
    let pages = 0
    for (const cell of pack.cells) {
      this.#commitCell(cell)
      pages += cell.pages
      incarnationRow.bytes += cell.bytes
      incarnationRow.fetchMs += cell.fetchMs
    }
    for (const append of pack.appends) this.#appendOne(append, incarnationRow.name)
    this.#work.add(pack)
    for (const file of pack.files) this.#saveFile(file, pack.incarnation)
    for (const wait of pack.waits) this.#turns.postpone(wait.group, wait.nextAllowed)
    this.#state.pages += pages
    incarnationRow.budget = debited(incarnationRow.budget, pages)
    incarnationRow.pages += pages
    incarnationRow.fetches = Math.max(incarnationRow.fetches, pack.fetches)
    return { status: 'committed' }
  }

  loadOrigins(cell: CellId): OriginState[] {
    return [...(this.#origins.get(siteOfCell(cell)) ?? [])]
  }

  saveOrigin(cell: CellId, state: OriginState): void {
    const site = siteOfCell(cell)
    const others = (this.#origins.get(site) ?? []).filter(({ origin }) => origin !== state.origin)
    this.#origins.set(site, [...others, this.#shared.origin(state)])
  }

  refusedOrigins(limit: number): RefusedOrigins {
    const refused = [...this.#origins.values()]
      .flat()
      .filter(({ verdict }) => verdict === 'unavailable')
      .sort((a, b) => (a.origin < b.origin ? -1 : 1))
    return { total: refused.length, first: refused.slice(0, limit).map(({ verdict, body, ...rest }) => rest) }
  }

  saveMeta(rows: readonly { readonly cell: CellId; readonly url: string; readonly meta: MetaInfo }[]): void {
    for (const { cell, url, meta } of rows) {
      const known = this.#meta.get(siteOfCell(cell))
      if (known) known.set(url, meta)
      else this.#meta.set(siteOfCell(cell), new Map([[url, meta]]))
    }
  }

  saveFacts(rows: readonly MetaFacts[]): void {
    for (const { cell, url, digest, facts } of rows) {
      const known = this.#meta.get(siteOfCell(cell))
      const meta = known?.get(url)
      if (meta?.digest === digest) known?.set(url, { ...meta, facts })
    }
  }

  loadMeta(cell: CellId, urls: readonly string[]): Map<string, MetaInfo> {
    const known = this.#meta.get(siteOfCell(cell))
    const found = new Map<string, MetaInfo>()
    for (const url of urls) {
      const meta = known?.get(url)
      if (meta) found.set(url, meta)
    }
    return found
  }

  files(): FileRow[] {
    return [...this.#files]
      .map(([name, { kind, bytes, crc32, incarnation }]) => ({
        name,
        kind,
        bytes,
        crc32,
        incarnation,
        closed: !this.#state.incarnationRow(incarnation)?.open,
      }))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  swapFiles(inputs: readonly string[], outputs: readonly PackFile[], seat?: Epoch): boolean {
    const { seat: taken, incarnations } = this.#state
    if (seat !== undefined && taken.epoch !== seat) return false
    const swap = fileSwap(inputs, outputs, name => this.#files.has(name))
    if (swap !== 'due') return swap === 'done'
    for (const name of inputs) this.#files.delete(name)
    for (const file of outputs)
      this.#saveFile(file, seat === undefined ? incarnations.length : (taken.agent ?? 0))
    return true
  }

  #refusal<PackCellRow extends SourceCell>(
    { incarnation, appends }: Pick<LinkBatch, 'incarnation' | 'appends'>,
    cells: readonly PackCellRow[],
    isOurs: (cell: PackCellRow) => boolean,
  ): CommitResult | null {
    if (!this.#state.keeps('fences')) return null
    if (!this.#state.incarnationRow(incarnation)?.open)
      return { status: 'refused', why: 'incarnation-closed' }
    if (!this.#state.open) return { status: 'refused', why: 'crawl-closed' }
    const stale = cells.filter(cell => !isOurs(cell)).map(({ cell }) => cell)
    if (stale.length > 0) return { status: 'stale', cells: stale }
    const moved = appends.flatMap(({ cell }) => {
      const children = this.#movedTo(cell)
      return children === null ? [] : [{ cell, children }]
    })
    return moved.length > 0 ? { status: 'moved', cells: moved } : null
  }

  #movedTo(cell: CellId): readonly CellId[] | null {
    const row = this.#state.cells.get(cell)
    return row?.state === 'closed' && this.#state.keeps('refuses-closed') ? row.children : null
  }

  #isCurrent(cell: PackCell): boolean {
    return this.#isHeld(cell) && isNextPack(this.#state.cells.get(cell.cell)!.lastPack, cell.number)
  }

  #isHeld({ cell, epoch }: SourceCell): boolean {
    const row = this.#state.cells.get(cell)
    if (!row) return false
    return isHeldUnder(row.state, row.epoch, this.#state.keeps('checks-epochs') ? epoch : row.epoch)
  }

  #commitCell(cell: PackCell): void {
    const row = this.#state.cells.get(cell.cell)!
    row.lastPack = this.#state.keeps('fences') ? cell.number : row.lastPack + 1
    const at = this.#journals.add(cell.journal)
    if (row.journals) row.journals.push(at, cell.journal.length)
    else row.journals = [at, cell.journal.length]
    row.consumed += cell.consumed
    row.cursor = Math.max(row.cursor, cell.cursor)
    row.discovered += cell.discovered
    row.settled += cell.settled
    row.pages += cell.pages
    row.bytes += cell.bytes
    row.fetchMs += Math.round(cell.fetchMs)
    if (row.firstFetch === 0) row.firstFetch = Math.round(cell.firstFetch)
    row.lastFetch = Math.max(row.lastFetch, Math.round(cell.lastFetch))
    if (cell.consumed > 0) dropUpTo(row, cell.cursor)
    row.outcomes = this.#shared.outcomes(row.outcomes, cell.outcomes)
  }

  /** Adds rows, and turns a finished cell to waiting in the same step. */
  #appendOne({ cell, group, rows }: Append, sender: string): void {
    const row = this.#state.cells.get(cell) ?? this.#state.addCell(cell, group)
    row.inbox ??= []
    for (const { url, depth, hops, score, via } of rows)
      row.inbox.push({ position: ++this.#lastPosition, url, depth, hops, score, via, sender })
    row.appended += rows.length
    if (row.state === 'finished' && this.#state.keeps('wakes-finished')) this.#state.move(row, 'waiting')
  }

  #saveFile({ name, kind, bytes, crc32 = null }: PackFile, by: Incarnation): void {
    const incarnation = this.#files.get(name)?.incarnation ?? by
    this.#files.set(name, { kind, bytes, crc32, incarnation })
  }
}

/** The cell, preceded by the cells that it was split from, the oldest first. */
function cellAndAncestors(cell: CellRow | undefined): CellRow[] {
  const line: CellRow[] = []
  for (let row = cell ?? null; row !== null; row = row.parent) line.unshift(row)
  return line
}

function firstAfter(inbox: readonly InboxRow[], position: number): number {
  return firstIndex(inbox.length, i => inbox[i].position > position)
}

function dropUpTo(row: CellRow, position: number): void {
  if (!row.inbox) return
  const rest = row.inbox.slice(firstAfter(row.inbox, position))
  row.inbox = rest.length > 0 ? rest : null
}
