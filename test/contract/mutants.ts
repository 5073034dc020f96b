/**
 * The rules of the ledger (`docs/promises.md`) that one statement of the SQLite ledger keeps, each with the edit that
 * switches it off and the test of the contract that must notice.
 */
export interface LedgerMutant {
  readonly rule: string
  /** In `src/cluster/`. */
  readonly file: string
  /** What stands there once, and what instead. */
  readonly keeps: string
  readonly breaks: string
  readonly caughtBy: string
}

const CELLS = 'sqlite-cells.ts'
const PACKS = 'sqlite-packs.ts'
const TURNS = 'sqlite-turns.ts'
const LIVES = 'sqlite-lives.ts'
const INBOXES = 'sqlite-inboxes.ts'
const FILES = 'sqlite-files.ts'
const ORDER = 'sqlite-order.ts'

export const LEDGER_MUTANTS: readonly LedgerMutant[] = [
  {
    rule: 'a life that has ended takes no turn',
    file: 'sqlite-ledger.ts',
    keeps: 'lives.isOpen(incarnation) ? turns.take(incarnation, group, leaseMs, delayMs) : null',
    breaks: 'turns.take(incarnation, group, leaseMs, delayMs)',
    caughtBy: 'are not taken by a life that has ended: nobody would give them back',
  },
  {
    rule: 'the turn of a group was held as long as the longest of its leases',
    file: ORDER,
    keeps: 'Math.max(Number(until), heldUntil)',
    breaks: 'Number(until)',
    caughtBy:
      'were held until the latest lease of a silent life ended, in whatever order its cells come back',
  },
  {
    rule: 'an append is refused once the crawl is closed',
    file: INBOXES,
    keeps: `if (this.#db.first('SELECT state FROM crawl')![0] !== 'open') return false`,
    breaks: '',
    caughtBy: 'is refused once the crawl is closed, and taken again after reopen',
  },
  {
    rule: 'an append turns a finished cell to waiting',
    file: INBOXES,
    keeps: `CASE state WHEN 'finished' THEN 'waiting' ELSE state END`,
    breaks: 'state',
    caughtBy: 'turns a finished cell to waiting in the same step',
  },
  {
    rule: 'a new site goes to the tail of S',
    file: INBOXES,
    keeps: 'UPDATE crawl SET next_rank = next_rank + 1 RETURNING next_rank',
    breaks: 'UPDATE crawl SET first_rank = first_rank - 1 RETURNING first_rank',
    caughtBy: 'puts a new site at the tail of S and keeps the order of arrival',
  },
  {
    rule: 'a pack names the epoch of each cell',
    file: PACKS,
    keeps: 'row[0] === cell.epoch && ',
    breaks: '',
    caughtBy: 'with a stale cell commits nothing and names the cell',
  },
  {
    rule: 'a pack has the next number of each cell',
    file: PACKS,
    keeps: ' && row[1] === cell.number - 1',
    breaks: '',
    caughtBy: 'out of sequence is stale',
  },
  {
    rule: 'a cell that was given back takes no pack',
    file: PACKS,
    keeps: 'return held && ',
    breaks: 'return ',
    caughtBy: 'of a cell that was given back is stale, also while nobody else has it',
  },
  {
    rule: 'one stale cell refuses the whole pack',
    file: PACKS,
    keeps: 'if (stale.length > 0) return',
    breaks: 'if (stale.length === pack.cells.length) return',
    caughtBy: 'with a stale cell commits nothing and names the cell',
  },
  {
    rule: 'a pack of a closed life is refused',
    file: PACKS,
    keeps: `if (!open) return { status: 'refused', why: 'incarnation-closed' }`,
    breaks: '',
    caughtBy: 'of a closed life is refused (P6)',
  },
  {
    rule: 'a pack is known again by its id',
    file: PACKS,
    keeps: `if (this.#db.first('SELECT 1 FROM pack WHERE id = ?', pack.id)) return { status: 'committed' }`,
    breaks: '',
    caughtBy: 'sent twice under one id is committed once',
  },
  {
    rule: 'links are durable with the page they stood on',
    file: PACKS,
    keeps: 'for (const append of pack.appends) inboxes.add(append, pack.incarnation)',
    breaks: '',
    caughtBy: 'acknowledges pages, links, files and counters in one step',
  },
  {
    rule: 'a pack says which rows of the inbox it consumed',
    file: PACKS,
    keeps: 'consumed = consumed + ?',
    breaks: 'consumed = consumed + 0 * ?',
    caughtBy: 'acknowledges pages, links, files and counters in one step',
  },
  {
    rule: 'nothing is committed after the end',
    file: PACKS,
    keeps: `if (!this.#crawlOpen()) return { status: 'refused', why: 'crawl-closed' }`,
    breaks: '',
    caughtBy: 'the end is latched: nothing is leased or committed after it, and it stays what it was',
  },
  {
    rule: 'a pack never shortens a wait',
    file: PACKS,
    keeps: 'next_allowed = max(next_allowed, excluded.next_allowed)',
    breaks: 'next_allowed = excluded.next_allowed',
    caughtBy: 'never shortens a wait',
  },
  {
    rule: 'a committed page is debited to the budget of its life',
    file: PACKS,
    keeps: 'budget = max(0, budget - ?1)',
    breaks: 'budget = budget + 0 * ?1',
    caughtBy: 'a committed page leaves the budget of its life',
  },
  {
    rule: 'files are swapped only by the holder of the seat',
    file: FILES,
    keeps: 'if (seat !== undefined && epoch !== seat) return false',
    breaks: '',
    caughtBy: 'swaps files only while it has the seat; a swap whose answer was lost is true again',
  },
  {
    rule: 'files are swapped only while every input is listed',
    file: FILES,
    keeps: 'throw new SwapRefused()',
    breaks: 'continue',
    caughtBy: 'swaps files only when every input is still listed',
  },
  {
    rule: 'a swap whose answer was lost is known again',
    file: FILES,
    keeps: 'if (inputs.length > 0 && this.#isSwapped(inputs, outputs)) return true',
    breaks: '',
    caughtBy: 'swaps files only while it has the seat; a swap whose answer was lost is true again',
  },
  {
    rule: 'a cell is leased to one agent',
    file: CELLS,
    keeps: `SELECT lease_until, grp FROM cell WHERE cell = ? AND state = 'waiting'`,
    breaks: 'SELECT lease_until, grp FROM cell WHERE cell = ?',
    caughtBy: 'is granted to one agent only, with a rising epoch',
  },
  {
    rule: 'every lease has a higher epoch',
    file: CELLS,
    keeps: 'epoch = epoch + 1',
    breaks: 'epoch = max(epoch, 1)',
    caughtBy: 'is granted to one agent only, with a rising epoch',
  },
  {
    rule: 'a closed life is granted nothing',
    file: CELLS,
    keeps: 'if (!open || ',
    breaks: 'if (',
    caughtBy: 'gives a closed life nothing',
  },
  {
    rule: 'nothing is leased after the end',
    file: CELLS,
    keeps: ` || state !== 'open') return []`,
    breaks: ') return []',
    caughtBy: 'the page limit ends it with cells still waiting',
  },
  {
    rule: 'sites of an agent that left go to the head of S',
    file: CELLS,
    keeps: 'for (const [cell] of held) this.#order.toHead(String(cell))',
    breaks: 'for (const [cell] of held) this.#order.toTail(String(cell))',
    caughtBy: 'goes to the HEAD of S when its agent leaves or falls silent (D16)',
  },
  {
    rule: 'sites of an agent that fell silent go to the head of S',
    file: ORDER,
    keeps: 'of expired) this.toHead(String(cell), Number(heldUntil))',
    breaks: 'of expired) this.toTail(String(cell))',
    caughtBy: 'goes to the HEAD of S when its agent leaves or falls silent (D16)',
  },
  {
    rule: 'a heartbeat renews all leases',
    file: CELLS,
    keeps: 'UPDATE cell SET lease_until = ? WHERE agent = ?',
    breaks: 'UPDATE cell SET lease_until = lease_until + 0 * ? WHERE agent = ?',
    caughtBy: 'is kept by a heartbeat, and lost cells are not in its answer',
  },
  {
    rule: 'a lease that has ended is renewed only with the turn of its group',
    file: CELLS,
    keeps: 'OR EXISTS (SELECT 1 FROM turn WHERE turn.grp = cell.grp AND turn.agent = cell.agent))',
    breaks: 'OR EXISTS (SELECT 1 FROM turn WHERE turn.grp = cell.grp))',
    caughtBy: 'that has ended is not renewed once somebody has had the turn of its group',
  },
  {
    rule: 'after a gap of the ledger nobody’s cells are taken',
    file: ORDER,
    keeps: 'AND gap_until <= ?1 AND (last_heartbeat',
    breaks: 'AND 0 <= ?1 AND (last_heartbeat',
    caughtBy: 'is not taken from others right after a gap in which nobody reached the ledger',
  },
  {
    rule: 'after a gap of the ledger nobody’s life is closed',
    file: LIVES,
    keeps: 'AND gap_until <= ?2',
    breaks: 'AND 0 <= ?2',
    caughtBy: 'closes the lives that fell silent, not those that only the ledger could not hear',
  },
  {
    rule: 'nobody’s cells are taken while nobody at all was heard',
    file: ORDER,
    keeps: 'last_heartbeat = 0 OR last_heartbeat >= lease_until',
    breaks: 'last_heartbeat >= 0',
    caughtBy: 'closes nobody and takes nothing when nobody was heard at all: the machine stood still',
  },
  {
    rule: 'nobody’s life is closed while nobody at all was heard',
    file: LIVES,
    keeps: 'last_heartbeat = 0 OR last_heartbeat >= ?1',
    breaks: 'last_heartbeat >= 0',
    caughtBy: 'closes nobody and takes nothing when nobody was heard at all: the machine stood still',
  },
  {
    rule: 'nobody’s seat is taken while nobody at all was heard',
    file: LIVES,
    keeps: '(last === 0 || last >= until)',
    breaks: 'last >= 0',
    caughtBy: 'closes nobody and takes nothing when nobody was heard at all: the machine stood still',
  },
  {
    rule: 'nobody’s turn is taken while nobody at all was heard',
    file: 'sqlite-turns.ts',
    keeps: 'if (open && last > 0 && last < until)',
    breaks: 'if (open && last < 0)',
    caughtBy: 'closes nobody and takes nothing when nobody was heard at all: the machine stood still',
  },
  {
    rule: 'the first request under a new lease waits for the end of the old one and the delay',
    file: CELLS,
    keeps: 'lastLease === 0 ? 0 : Math.ceil(lastLease + Math.max(own.delayMs, delayMs))',
    breaks: '0',
    caughtBy: 'waits for the end of the old lease and the delay, the longer one of the setting and the site',
  },
  {
    rule: 'the site’s own delay counts where it is longer',
    file: CELLS,
    keeps: 'Math.max(own.delayMs, delayMs)',
    breaks: 'delayMs',
    caughtBy: 'waits for the end of the old lease and the delay, the longer one of the setting and the site',
  },
  {
    rule: 'a cell with unread rows does not finish',
    file: CELLS,
    keeps: `'AND appended = consumed'`,
    breaks: `''`,
    caughtBy: 'a cell with an unread row does not finish',
  },
  {
    rule: 'only the epoch in force finishes a cell',
    file: CELLS,
    keeps: `WHERE cell = ? AND epoch = ? AND state IN ('leased', 'draining') \${condition}`,
    breaks: `WHERE cell = ? AND epoch >= ? AND state IN ('leased', 'draining') \${condition}`,
    caughtBy: 'an old epoch finishes nothing',
  },
  {
    rule: 'the crawl does not end while a cell is leased',
    file: CELLS,
    keeps: 'if (count.leased || count.draining) return null',
    breaks: '',
    caughtBy: 'the crawl does not end while a cell waits or is leased; parked cells are told',
  },
  {
    rule: 'the crawl does not end while a cell waits',
    file: CELLS,
    keeps: 'if (waiting && !full) return null',
    breaks: '',
    caughtBy: 'the crawl does not end while a cell waits or is leased; parked cells are told',
  },
  {
    rule: 'a resting cell waits',
    file: CELLS,
    keeps: ' + Number(count.resting ?? 0)',
    breaks: '',
    caughtBy: 'rest in S: a cell is not seen before its time, and the crawl does not end without it',
  },
  {
    rule: 'the end is latched in the crawl row',
    file: CELLS,
    keeps: `UPDATE crawl SET state = 'closed', finish_reason = ?`,
    breaks: 'UPDATE crawl SET finish_reason = ?',
    caughtBy: 'the end is latched: nothing is leased or committed after it, and it stays what it was',
  },
  {
    rule: 'parked cells wait again after resume',
    file: CELLS,
    keeps: `this.#db.run(\`UPDATE cell SET state = 'waiting' WHERE state = 'parked'\`)`,
    breaks: '',
    caughtBy: 'the crawl does not end while a cell waits or is leased; parked cells are told',
  },
  {
    rule: 'the page limit ends the crawl',
    file: CELLS,
    keeps: 'max !== null && Number(pages) >= Number(max)',
    breaks: 'false',
    caughtBy: 'the page limit ends it with cells still waiting',
  },
  {
    rule: 'a life that ends returns its budget',
    file: LIVES,
    keeps: 'WHERE open = 1 AND lanes > 0 AND incarnation <> ?',
    breaks: 'WHERE lanes > 0 AND incarnation <> ?',
    caughtBy: 'a life that ends returns its page budget',
  },
  {
    rule: 'blocks of the page limit are held by one life',
    file: LIVES,
    keeps: ' - out - held)',
    breaks: ' - held)',
    caughtBy: 'lives share what is left of the page limit, and what one does not need is free again',
  },
  {
    rule: 'the seat has one holder',
    file: LIVES,
    keeps: 'if (holder !== incarnation && !isFree) return null',
    breaks: '',
    caughtBy: 'has one seat: its holder renews it, another takes it when the holder leaves or falls silent',
  },
  {
    rule: 'limits are shared among those who crawl',
    file: LIVES,
    keeps: 'return own === 0 ? 0 : 1 / lives',
    breaks: 'return own === 0 ? 0 : 1',
    caughtBy: 'lives that crawl share the limits of the crawl',
  },
  {
    rule: 'a turn is held by one life at a time',
    file: TURNS,
    keeps: 'if (holder !== null && heldUntil >= now) return null',
    breaks: '',
    caughtBy: 'are held by one life at a time and pass with their wait',
  },
  {
    rule: 'a turn passes on after its holder’s lease and the delay',
    file: TURNS,
    keeps: 'heldUntil === 0 ? 0 : heldUntil + Math.max(Number(knownMs), delayMs)',
    breaks: '0',
    caughtBy: 'of a life that fell silent pass on, after its lease and the delay',
  },
  {
    rule: 'a turn is kept while a cell of its group is leased',
    file: TURNS,
    keeps: 'AND NOT EXISTS (SELECT 1 FROM cell WHERE agent = ? AND grp = ?)',
    breaks: 'AND ? <> ?',
    caughtBy: 'go with the last lease of a group, however that ends',
  },
  {
    rule: 'a wait that was told is never shortened',
    file: TURNS,
    keeps: 'next_allowed = max(next_allowed, excluded.next_allowed), delay_ms',
    breaks: 'next_allowed = excluded.next_allowed, delay_ms',
    caughtBy: 'carries the waits of the site and of its group across hand-over',
  },
]
