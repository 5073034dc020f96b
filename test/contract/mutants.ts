/**
 * The rules of the ledger (`docs/explanation/promises.md`) that one statement of the SQLite ledger keeps,
 * each with the edit that switches it off and the test of the contract that must notice.
 */
export interface LedgerMutant {
  readonly rule: string
  /** In `src/ledger/`. */
  readonly file: string
  /** What stands there once, and what instead. */
  readonly keeps: string
  readonly breaks: string
  readonly caughtBy: string
}

const PACKS = 'sqlite-packs.ts'
// In `sql/`: what both engines run.
const CALLS = 'crawl-calls.ts'
const INCARNATIONS = 'incarnation-calls.ts'
const LEASES = 'lease-calls.ts'
const QUEUE = 'queue-calls.ts'
const TURNS = 'turn-calls.ts'
const INBOXES = 'sqlite-inboxes.ts'
const FILES = 'pack-calls.ts'
const COUNTERS = 'sqlite-counters.ts'
const SPLITS = 'sqlite-splits.ts'
// In `rules/`: what every backend decides alike.
const EXPIRY = 'lease-expiry.ts'
const CLAIM = 'turn-claim.ts'
const ELIGIBILITY = 'grant-eligibility.ts'
const HAND_OVER = 'hand-over-wait.ts'
const FENCE = 'lease-fence.ts'
const END = 'crawl-end.ts'
const BUDGET = 'page-budget.ts'
const SPLIT = 'cell-split.ts'
const SWAP = 'file-swap.ts'

export const LEDGER_MUTANTS: readonly LedgerMutant[] = [
  {
    rule: 'a split needs a cell that nobody has leased',
    file: SPLIT,
    keeps: `(state === 'waiting' || state === 'resting') &&`,
    breaks: '',
    caughtBy: 'is refused while somebody has the cell, or had it since',
  },
  {
    rule: 'a split needs a cell that nobody has leased since',
    file: SPLIT,
    keeps: 'current.epoch === counted.epoch &&',
    breaks: '',
    caughtBy: 'is refused while somebody has the cell, or had it since',
  },
  {
    rule: 'a split is of the state that its children were counted in',
    file: SPLIT,
    keeps: 'current.lastPack === counted.lastPack',
    breaks: 'true',
    caughtBy: 'is refused while somebody has the cell, or had it since',
  },
  {
    rule: 'unread rows of a split cell move',
    file: SPLITS,
    keeps: '  moveRows(db, cell, names)\n',
    breaks: '',
    caughtBy: 'gives unread rows to the children of their paths, and counts them there',
  },
  {
    rule: 'what was read of a batch does not move',
    file: SPLITS,
    keeps: 'cursor: Number(cursor)',
    breaks: 'cursor: 0',
    caughtBy: 'gives what was read of an append to nobody',
  },
  {
    rule: 'a batch is there until its last row is read',
    file: PACKS,
    keeps: 'AND position <= ?',
    breaks: 'AND position - rows < ?',
    caughtBy: 'of any number of rows is read in parts of any size, and consumed at any row',
  },
  {
    rule: 'moved rows are counted where they are',
    file: SPLITS,
    keeps: `    db.run('UPDATE cell SET appended = appended + ? WHERE cell = ?', share.length, child)\n`,
    breaks: '',
    caughtBy: 'gives unread rows to the children of their paths, and counts them there',
  },
  {
    rule: 'children derive from the packs of their parents',
    file: 'cell-calls.ts',
    keeps: `if (!cell.includes('#')) return [cell]`,
    breaks: 'return [cell]',
    caughtBy: 'lets children go on with the packs of their parents; each pack is one cell’s alone',
  },
  {
    rule: 'a split cell takes nothing more',
    file: INBOXES,
    keeps: '  if (appends.some(({ cell }) => isClosed(db, cell))) return false\n',
    breaks: '',
    caughtBy: 'refuses packs with links for the closed cell, and says which cells stand in its place',
  },
  {
    rule: 'a pack with links for a split cell is refused with its children',
    file: PACKS,
    keeps: `return moved.length > 0 ? { status: 'moved', cells: moved } : null`,
    breaks: 'return null',
    caughtBy: 'refuses packs with links for the closed cell, and says which cells stand in its place',
  },
  {
    rule: 'cells of one site keep one delay',
    file: LEASES,
    keeps: 'if (split.length === 0) return new Map()',
    breaks: 'return new Map()',
    caughtBy: 'keeps the delay of the site: a cell of it waits for the end of the last lease of any other',
  },
  {
    rule: 'the epochs of children go on',
    file: SPLITS,
    keeps: `'waiting', NULL, epoch, lease_until, ?2`,
    breaks: `'waiting', NULL, 0, lease_until, ?2`,
    caughtBy: 'lets children go on with the packs of their parents; each pack is one cell’s alone',
  },
  {
    rule: 'an incarnation that has ended takes no turn',
    file: TURNS,
    keeps: 'if (agent?.[0] !== 1) return null',
    breaks: '',
    caughtBy: 'are not taken by an incarnation that has ended: nobody would release them',
  },
  {
    rule: 'a turn lasts as long as the latest lease under it',
    file: TURNS,
    keeps: 'greatest(lease_until, $1)',
    breaks: 'least(lease_until, $1)',
    caughtBy:
      'last as long as the latest lease under them: nobody has the turn of a group while another incarnation has a cell of it',
  },
  {
    rule: 'the turn of a group was held as long as the longest of its leases',
    file: TURNS,
    keeps: '!known || known.until < hold.until',
    breaks: '!known || known.until > hold.until',
    caughtBy:
      'were held until the latest lease of a silent incarnation ended, in whatever order its cells come back',
  },
  {
    rule: 'an append is refused once the crawl is closed',
    file: INBOXES,
    keeps: `if (db.first('SELECT state FROM crawl')![0] !== 'open') return false`,
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
    rule: 'a new site goes to the tail of the queue',
    file: COUNTERS,
    keeps: 'UPDATE crawl SET next_rank = next_rank + $1 RETURNING next_rank',
    breaks: 'UPDATE crawl SET first_rank = first_rank - $1 RETURNING first_rank',
    caughtBy: 'puts a new site at the tail of the queue and keeps the order of arrival',
  },
  {
    rule: 'a batch of links is checked like a pack',
    file: PACKS,
    keeps: 'const refusal = refusalOf(db, batch, batch.sources, isHeld)',
    breaks: 'const refusal = null as CommitResult | null',
    caughtBy: 'with a stale source leaves no row and names the source',
  },
  {
    rule: 'a batch of links adds its rows',
    file: PACKS,
    keeps: 'addRows(db, batch.appends, batch.incarnation)',
    breaks: '',
    caughtBy: 'is durable at once, in the name of its sender, and touches nothing of the source cell',
  },
  {
    rule: 'a pack names the epoch of each cell',
    file: FENCE,
    keeps: ' && current === named',
    breaks: '',
    caughtBy: 'with a stale cell commits nothing and names the cell',
  },
  {
    rule: 'a pack has the next number of each cell',
    file: FENCE,
    keeps: 'return lastPack === number - 1',
    breaks: 'return true',
    caughtBy: 'out of sequence is stale',
  },
  {
    rule: 'a cell that was given back takes no pack',
    file: FENCE,
    keeps: 'return isHeld(state) && ',
    breaks: 'return ',
    caughtBy: 'of a cell that was given back is stale, also while nobody else has it',
  },
  {
    rule: 'one stale cell refuses the whole pack',
    file: PACKS,
    keeps: 'if (stale.length > 0) return',
    breaks: 'if (stale.length === cells.length) return',
    caughtBy: 'with a stale cell commits nothing and names the cell',
  },
  {
    rule: 'a pack of a closed incarnation is refused',
    file: PACKS,
    keeps: `if (!answer(db, isIncarnationOpen(incarnation))) return { status: 'refused', why: 'incarnation-closed' }`,
    breaks: '',
    caughtBy: 'of a closed incarnation is refused (P6)',
  },
  {
    rule: 'a pack is known again by its id',
    file: PACKS,
    keeps: `if (db.first('SELECT 1 FROM pack WHERE id = ?', pack.id)) return { status: 'committed' }`,
    breaks: '',
    caughtBy: 'sent twice under one id is committed once',
  },
  {
    rule: 'links are durable with the page they stood on',
    file: PACKS,
    keeps: 'addRows(db, pack.appends, pack.incarnation)',
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
    keeps: `if (!answer(db, isCrawlOpen())) return { status: 'refused', why: 'crawl-closed' }`,
    breaks: '',
    caughtBy: 'the end is latched: nothing is leased or committed after it, and it stays what it was',
  },
  {
    rule: 'a pack never shortens a wait',
    file: TURNS,
    keeps: 'greatest(turn.next_allowed, excluded.next_allowed)`',
    breaks: 'excluded.next_allowed`',
    caughtBy: 'never shortens a wait',
  },
  {
    rule: 'a committed page is debited to the budget of its incarnation',
    file: 'agent-calls.ts',
    keeps: 'budget = greatest(0, budget - $1)',
    breaks: 'budget = budget + 0 * $1',
    caughtBy: 'a committed page leaves the budget of its incarnation',
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
    file: SWAP,
    keeps: 'if (inputs.every(isListed))',
    breaks: 'if (inputs.length > 0)',
    caughtBy: 'swaps files only when every input is still listed',
  },
  {
    rule: 'a swap whose answer was lost is known again',
    file: SWAP,
    keeps: `return isDone ? 'done' : 'refused'`,
    breaks: `return 'refused'`,
    caughtBy: 'swaps files only while it has the seat; a swap whose answer was lost is true again',
  },
  {
    rule: 'a cell is leased to one agent',
    file: ELIGIBILITY,
    keeps: `return state === 'waiting' && crawlOpen`,
    breaks: 'return crawlOpen',
    caughtBy: 'is granted to one agent only, with a rising epoch',
  },
  {
    rule: 'every lease has a higher epoch',
    file: LEASES,
    keeps: 'epoch = epoch + 1',
    breaks: 'epoch = greatest(epoch, 1)',
    caughtBy: 'is granted to one agent only, with a rising epoch',
  },
  {
    rule: 'a closed incarnation is granted nothing',
    file: ELIGIBILITY,
    keeps: 'crawlOpen && incarnationOpen',
    breaks: 'crawlOpen',
    caughtBy: 'gives a closed incarnation nothing',
  },
  {
    rule: 'nothing is leased after the end',
    file: ELIGIBILITY,
    keeps: 'crawlOpen && incarnationOpen',
    breaks: 'incarnationOpen',
    caughtBy: 'the page limit ends it with cells still waiting',
  },
  {
    rule: 'sites of an agent that left go to the head of the queue',
    file: INCARNATIONS,
    keeps: 'yield* toHead(engine, held.map(lockedCell))',
    breaks: `yield* toHead({ ...engine, numbers: (_, n) => engine.numbers('rank_tail', n) }, held.map(lockedCell))`,
    caughtBy: 'goes to the HEAD of the queue when its agent leaves or falls silent (D16)',
  },
  {
    rule: 'sites of an agent that fell silent go to the head of the queue',
    file: QUEUE,
    keeps: 'yield* toHead(engine, rows.map(lockedCell))',
    breaks: 'yield* toTail(engine, rows.map(lockedCell))',
    caughtBy: 'goes to the HEAD of the queue when its agent leaves or falls silent (D16)',
  },
  {
    rule: 'a heartbeat renews all leases',
    file: INCARNATIONS,
    keeps: 'UPDATE cell SET lease_until = $1 WHERE cell = ANY',
    breaks: 'UPDATE cell SET lease_until = lease_until + 0 * $1 WHERE cell = ANY',
    caughtBy: 'is kept by a heartbeat, and lost cells are not in its answer',
  },
  {
    rule: 'a lease that has ended is renewed only with the turn of its group',
    file: EXPIRY,
    keeps: ' || holdsTurn',
    breaks: ' || true',
    caughtBy: 'that has ended is not renewed once somebody has had the turn of its group',
  },
  {
    rule: 'after a gap of the ledger nobody’s cells are taken',
    file: QUEUE,
    keeps: 'AND gap_until <= $1 AND',
    breaks: 'AND 0 <= $1 AND',
    caughtBy: 'is not taken from others right after a gap in which nobody reached the ledger',
  },
  {
    rule: 'after a gap of the ledger no incarnation is closed',
    file: CALLS,
    keeps: 'AND gap_until <= $2',
    breaks: 'AND 0 <= $2',
    caughtBy: 'closes the incarnations that fell silent, not those that only the ledger could not hear',
  },
  {
    rule: 'nobody’s cells are taken while nobody at all was heard',
    file: QUEUE,
    keeps: 'last_heartbeat = 0 OR last_heartbeat >= lease_until',
    breaks: 'last_heartbeat >= 0',
    caughtBy: 'closes nobody and takes nothing when nobody was heard at all: the machine stood still',
  },
  {
    rule: 'no incarnation is closed while nobody at all was heard',
    file: CALLS,
    keeps: 'last_heartbeat = 0 OR last_heartbeat >= $1',
    breaks: 'last_heartbeat >= 0',
    caughtBy: 'closes nobody and takes nothing when nobody was heard at all: the machine stood still',
  },
  {
    rule: 'nobody’s seat is taken while nobody at all was heard',
    file: EXPIRY,
    keeps: ' && !isUnheardSince(leaseUntil, heard)',
    breaks: '',
    caughtBy: 'closes nobody and takes nothing when nobody was heard at all: the machine stood still',
  },
  {
    rule: 'nobody’s turn is taken while nobody at all was heard',
    file: CLAIM,
    keeps: 'if (isOpen && isUnheardSince(until, holder))',
    breaks: 'if (false)',
    caughtBy: 'closes nobody and takes nothing when nobody was heard at all: the machine stood still',
  },
  {
    rule: 'the first request under a new lease waits for the end of the old one and the delay',
    file: LEASES,
    keeps: 'Math.ceil(firstAllowed(lastLease, own[i].delayMs, delayMs))',
    breaks: '0',
    caughtBy: 'waits for the end of the old lease and the delay, the longer one of the setting and the site',
  },
  {
    rule: 'the site’s own delay counts where it is longer',
    file: HAND_OVER,
    keeps: 'Math.max(ownDelayMs, delayMs)',
    breaks: 'delayMs',
    caughtBy: 'waits for the end of the old lease and the delay, the longer one of the setting and the site',
  },
  {
    rule: 'a cell with unread rows does not finish',
    file: LEASES,
    keeps: `'AND appended = consumed'`,
    breaks: `''`,
    caughtBy: 'a cell with an unread row does not finish',
  },
  {
    rule: 'only the epoch in force finishes a cell',
    file: LEASES,
    keeps: `WHERE cell = $1 AND epoch = $2 AND \${HELD} \${condition}`,
    breaks: `WHERE cell = $1 AND epoch >= $2 AND \${HELD} \${condition}`,
    caughtBy: 'an old epoch finishes nothing',
  },
  {
    rule: 'the crawl does not end while a cell is leased',
    file: END,
    keeps: 'if (leased > 0 || draining > 0) return null',
    breaks: '',
    caughtBy: 'closes nobody and takes nothing when nobody was heard at all: the machine stood still',
  },
  {
    rule: 'the crawl does not end while a cell waits',
    file: END,
    keeps: 'if (waiting > 0 && !isFull) return null',
    breaks: '',
    caughtBy: 'the crawl does not end while a cell waits or is leased; parked cells are told',
  },
  {
    rule: 'a resting cell waits',
    file: END,
    keeps: ' + (counts.resting ?? 0)',
    breaks: '',
    caughtBy: 'rest in S: a cell is not seen before its time, and the crawl does not end without it',
  },
  {
    rule: 'the end is latched in the crawl row',
    file: INCARNATIONS,
    keeps: `UPDATE crawl SET state = 'closed', finish_reason = $1`,
    breaks: 'UPDATE crawl SET finish_reason = $1',
    caughtBy: 'the end is latched: nothing is leased or committed after it, and it stays what it was',
  },
  {
    rule: 'parked cells wait again after resume',
    file: CALLS,
    keeps: `WHERE state = 'parked' OR `,
    breaks: 'WHERE ',
    caughtBy: 'the crawl does not end while a cell waits or is leased; parked cells are told',
  },
  {
    rule: 'the page limit ends the crawl',
    file: END,
    keeps: 'maxPages !== null && pages >= maxPages',
    breaks: 'false',
    caughtBy: 'the page limit ends it with cells still waiting',
  },
  {
    rule: 'an incarnation that ends returns its budget',
    file: CALLS,
    keeps:
      'sum(budget) FILTER (WHERE open = 1 AND lanes > 0 AND incarnation <> $1), 0),\n         count(*) FILTER (WHERE open = 1 AND',
    breaks:
      'sum(budget) FILTER (WHERE lanes > 0 AND incarnation <> $1), 0),\n         count(*) FILTER (WHERE',
    caughtBy: 'an incarnation that ends returns its page budget',
  },
  {
    rule: 'blocks of the page limit are held by one incarnation',
    file: BUDGET,
    keeps: ' - heldByOthers - held)',
    breaks: ' - held)',
    caughtBy: 'incarnations share what is left of the page limit, and what one does not need is free again',
  },
  {
    rule: 'the seat has one holder',
    file: CALLS,
    keeps: 'if (holder !== incarnation && !isFree) return null',
    breaks: '',
    caughtBy: 'has one seat: its holder renews it, another takes it when the holder leaves or falls silent',
  },
  {
    rule: 'limits are shared among those who crawl',
    file: CALLS,
    keeps: 'return own === 0 ? 0 : 1 / incarnations',
    breaks: 'return own === 0 ? 0 : 1',
    caughtBy: 'incarnations that crawl share the limits of the crawl',
  },
  {
    rule: 'a turn is held by one incarnation at a time',
    file: CLAIM,
    keeps: 'if (holder !== null && heldUntil >= now) return null',
    breaks: '',
    caughtBy: 'are held by one incarnation at a time and pass with their wait',
  },
  {
    rule: 'a turn passes on after its holder’s lease and the delay',
    file: CLAIM,
    keeps: 'firstAllowed(heldUntil, turn.delayMs, delayMs)',
    breaks: '0',
    caughtBy: 'of an incarnation that fell silent pass on, after its lease and the delay',
  },
  {
    rule: 'a turn is kept while a cell of its group is leased',
    file: TURNS,
    keeps: 'AND NOT EXISTS (SELECT 1 FROM cell WHERE cell.agent = hold.agent AND cell.grp = hold.grp)',
    breaks: '',
    caughtBy: 'go with the last lease of a group, however that ends',
  },
  {
    rule: 'a wait that was told is never shortened',
    file: TURNS,
    keeps: 'next_allowed = greatest(turn.next_allowed, excluded.next_allowed), delay_ms',
    breaks: 'next_allowed = excluded.next_allowed, delay_ms',
    caughtBy: 'carries the waits of the site and of its group across hand-over',
  },
]
