/**
 * The rules of the ledger on PostgreSQL, each with the edit of its source that switches it off and the test
 * that must notice: one of the contract, or one of those that hold a transaction open
 * (`postgres-held-open.ts`).
 */
import type { LedgerMutant } from './mutants.js'

const INBOXES = 'postgres-inboxes.ts'
const PACKS = 'postgres-packs.ts'
const SPLITS = 'postgres-splits.ts'
// In `sql/`: what both engines run.
const INCARNATIONS = 'incarnation-calls.ts'
const LEASES = 'lease-calls.ts'
const QUEUE = 'queue-calls.ts'
const TURNS = 'turn-calls.ts'

export const POSTGRES_MUTANTS: readonly LedgerMutant[] = [
  {
    rule: 'a split needs a cell that nobody has leased',
    file: 'cell-split.ts',
    keeps: `(state === 'waiting' || state === 'resting') &&`,
    breaks: '',
    caughtBy: 'is refused while somebody has the cell, or had it since',
  },
  {
    rule: 'unread rows of a split cell move',
    file: SPLITS,
    keeps: '  await moveRows(tx, cell, names)\n',
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
    rule: 'a pack with links for a split cell is refused with its children',
    file: PACKS,
    keeps: `return moved.length > 0 ? { status: 'moved', cells: moved } : null`,
    breaks: 'return null',
    caughtBy: 'refuses packs with links for the closed cell, and says which cells stand in its place',
  },
  {
    rule: 'a split cell takes nothing more',
    file: INBOXES,
    keeps: `      if (there.some(([state]) => state === 'closed')) return false\n`,
    breaks: '',
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
    rule: 'a lease that has ended is renewed only with the turn of its group',
    file: 'lease-expiry.ts',
    keeps: ' || holdsTurn',
    breaks: ' || true',
    caughtBy: 'that has ended is not renewed once somebody has had the turn of its group',
  },
  {
    rule: 'read is only what lies below the oldest open transaction',
    file: INBOXES,
    keeps: 'i.position < limits.horizon',
    breaks: 'limits.horizon IS NOT NULL',
    caughtBy: 'is not passed over by a reader, whoever began first and whoever commits first',
  },
  {
    rule: 'a position is made of the writer’s transaction',
    file: INBOXES,
    keeps: '(SELECT (pg_current_xact_id()::text::bigint - first_x) *',
    breaks: '(SELECT (SELECT count(*) FROM inbox) *',
    caughtBy: 'is not passed over by a reader, whoever began first and whoever commits first',
  },
  {
    rule: 'an append keeps the crawl from ending, and is refused after it',
    file: 'crawl-calls.ts',
    keeps: 'SELECT state FROM crawl FOR KEY SHARE',
    breaks: 'SELECT state FROM crawl',
    caughtBy: 'waits for an end that is held open, and is refused',
  },
  {
    rule: 'the end waits for those who write',
    file: INCARNATIONS,
    keeps: 'SELECT state, max_pages, finish_reason FROM crawl FOR UPDATE',
    breaks: 'SELECT state, max_pages, finish_reason FROM crawl',
    caughtBy: 'keeps the crawl from ending, and is refused when the end is before it',
  },
  {
    rule: 'a finish tests the row that is locked, not what was there when it began',
    file: LEASES,
    keeps: `'AND appended = consumed'`,
    breaks: `'AND NOT EXISTS (SELECT 1 FROM inbox i WHERE i.cell = cell.cell)'`,
    caughtBy: 'keeps its cell from being finished: the finish waits for it and then sees it',
  },
  {
    rule: 'a finish tests the counters',
    file: LEASES,
    keeps: `'AND appended = consumed'`,
    breaks: `''`,
    caughtBy: 'a cell with an unread row does not finish',
  },
  {
    rule: 'an append turns a finished cell to waiting',
    file: INBOXES,
    keeps: `CASE cell.state WHEN 'finished' THEN 'waiting' ELSE cell.state END`,
    breaks: 'cell.state',
    caughtBy: 'after a finish that is held open, turns the cell to waiting again',
  },
  {
    rule: 'epochs are checked under lock',
    file: PACKS,
    keeps: 'WHERE cell = ANY($1::text[]) ORDER BY cell FOR UPDATE',
    breaks: 'WHERE cell = ANY($1::text[]) ORDER BY cell',
    caughtBy: 'whose cell is being given to somebody else waits, and is stale',
  },
  {
    rule: 'a batch of links names the epoch of each source',
    file: PACKS,
    keeps: 'if (refusal) return refusal\n  await addRows(tx, appends, incarnation)',
    breaks: 'await addRows(tx, appends, incarnation)',
    caughtBy: 'with a stale source leaves no row and names the source',
  },
  {
    rule: 'a pack names the epoch of each cell',
    file: 'lease-fence.ts',
    keeps: ' && current === named',
    breaks: '',
    caughtBy: 'with a stale cell commits nothing and names the cell',
  },
  {
    rule: 'a pack has the next number of each cell',
    file: 'lease-fence.ts',
    keeps: 'return lastPack === number - 1',
    breaks: 'return true',
    caughtBy: 'out of sequence is stale',
  },
  {
    rule: 'an incarnation that is being closed commits nothing',
    file: PACKS,
    keeps: 'FOR KEY SHARE OF c FOR NO KEY UPDATE OF agent',
    breaks: 'FOR KEY SHARE OF c',
    caughtBy: 'of an incarnation that is being closed waits, and is refused',
  },
  {
    rule: 'a pack is known again by its id',
    file: PACKS,
    keeps: `if (await tx.first('SELECT 1 FROM pack WHERE id = $1', pack.id)) return { status: 'committed' }`,
    breaks: '',
    caughtBy: 'sent twice under one id is committed once',
  },
  {
    rule: 'a turn is freed only when no cell of its group is leased, looked for under its lock',
    file: TURNS,
    keeps: `yield ['SELECT 1 FROM turn WHERE grp = ANY($1::text[]) ORDER BY grp FOR UPDATE', names]`,
    breaks: '',
    caughtBy: 'stays with an incarnation that is given a second cell of it while it gives back the first',
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
    rule: 'a turn is held by one incarnation at a time',
    file: 'turn-claim.ts',
    keeps: 'if (holder !== null && heldUntil >= now) return null',
    breaks: '',
    caughtBy: 'are held by one incarnation at a time and pass with their wait',
  },
  {
    rule: 'after a gap nobody is robbed',
    file: QUEUE,
    keeps: 'AND gap_until <= $1 AND',
    breaks: 'AND',
    caughtBy: 'is not taken from others right after a gap in which nobody reached the ledger',
  },
  {
    rule: 'an incarnation that began with another server is told to begin anew',
    file: INCARNATIONS,
    keeps: 'incarnationOpen = Boolean(agent?.[0])',
    breaks: 'incarnationOpen = agent !== undefined',
    caughtBy: 'is over, and its cells stay its own until it has let go of them',
  },
  {
    rule: 'an incarnation that began with another server commits nothing',
    file: PACKS,
    keeps: 'agent.open = 1 AND ',
    breaks: 'agent.open = 1 OR ',
    caughtBy: 'commits nothing more, unless it was committed before',
  },
  {
    rule: 'the seat has one holder',
    file: 'crawl-calls.ts',
    keeps: 'if (holder !== incarnation && !isFree) return null',
    breaks: '',
    caughtBy: 'has one seat: its holder renews it, another takes it when the holder leaves or falls silent',
  },
]
