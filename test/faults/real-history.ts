/**
 * The simulator's checker, told of a real crawl: the ledger's doings as triggers noted them
 * (`test/kit/audit.ts`), requests from the server's log, and what is on the disk. P1 to P7 and P9; not seen
 * from outside are the order of the queue (D16) and P8.
 */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { FileRow } from '../../src/ledger/index.js'
import { Checker, type Violation } from '../../src/simulate/check/checker.js'
import { History } from '../../src/simulate/check/history.js'
import type { StoredRow } from '../../src/simulate/ports/disk.js'
import type { LedgerMethod } from '../../src/simulate/ports/flaky-ledger.js'
import { siteOfHost } from '../../src/simulate/web/authority.js'
import {
  type Authority,
  latencyOf,
  type ServedRequest,
  truth,
  type WebKnobs,
  type WebPlan,
} from '../../src/simulate/web/index.js'
import type { Audit, Note } from '../kit/audit.js'
import { checkWarcs } from '../kit/crawled.js'
import { UrlBook } from '../kit/noted-packs.js'

export interface RealRun {
  readonly audit: Audit
  readonly log: readonly ServedRequest[]
  readonly plan: WebPlan
  readonly knobs: WebKnobs
  readonly authority: Authority
  readonly delayMs: number
  /** Committed files, as the ledger has them at the end, and what is there of them. */
  readonly files: readonly FileRow[]
  readonly sizes: ReadonlyMap<string, number>
  readonly pages: readonly string[]
}

/** What two looks at a clock may differ by. */
const GRAIN_MS = 2
const FORBIDDEN = '/private/'

interface Event {
  readonly at: number
  readonly tell: () => void
}

/** Of a crawl that is over. */
export async function storedPart(
  out: string,
  files: readonly FileRow[],
): Promise<Pick<RealRun, 'files' | 'sizes' | 'pages'>> {
  const { pages, problems } = await checkWarcs(out)
  if (problems.length > 0) throw new Error(problems.join('\n'))
  const folders = ['archive', 'tables/pages', 'tables/links', 'tables/sites', 'learned']
  const names = folders.flatMap(folder => readdirSync(join(out, folder)).map(name => `${folder}/${name}`))
  return { files, sizes: new Map(names.map(name => [name, statSync(join(out, name)).size])), pages }
}

export function violationsOf(run: RealRun): readonly Violation[] {
  const time = { now: 0 }
  const { plan, authority } = run
  const expected = [...truth(plan, authority)]
  const web = {
    siteOf: (host: string) => siteOfHost(plan, host),
    crawlDelayMs: () => 0,
    truth: () => expected.map(url => [url, 'OK'] as [string, 'OK']),
    isForbidden: (url: string) => {
      const { host, pathname } = new URL(url)
      return pathname.startsWith(FORBIDDEN) && plan.hasRobots(siteOfHost(plan, host))
    },
  }
  const history = new History(time, false)
  const checker = new Checker({ web, delayMs: run.delayMs - GRAIN_MS, time, history })
  const events = [...ledgerEvents(run.audit, new UrlBook(expected), checker), ...requestEvents(run, checker)]
  // Notes of one moment stay in their order.
  for (const { at, tell } of events.sort((a, b) => a.at - b.at)) {
    time.now = at
    tell()
  }
  checker.settle(run.files, diskOf(run), 'nobody has closed it', [])
  return checker.violations
}

/** Notes keep their order, whatever the clock said: what comes later was not earlier. */
function ledgerEvents({ notes, shares }: Audit, book: UrlBook, checker: Checker): Event[] {
  let latest = 0
  const packs = new Map<string, { cells: { cell: string; epoch: number }[]; rows: StoredRow[] }>()
  for (const { pack, cell, epoch, journal } of shares) {
    const known = packs.get(pack) ?? { cells: [], rows: [] }
    packs.set(pack, known)
    known.cells.push({ cell, epoch })
    known.rows.push(...book.settledIn(journal).filter(({ outcome }) => outcome === 'OK'))
  }
  return notes.map(note => {
    latest = Math.max(latest, note.at)
    return { at: latest, tell: () => tellNote(checker, note, packs.get(note.what)) }
  })
}

type RecordedPack = { readonly cells: readonly object[]; readonly rows: readonly StoredRow[] }

function tellNote(checker: Checker, note: Note, pack: RecordedPack = { cells: [], rows: [] }): void {
  if (note.kind === 'commit') checker.stored(note.what, pack.rows)
  checker.called(...callOf(note, pack))
}

/** The call that has this effect, and its answer. */
function callOf(
  { kind, what, who, epoch }: Note,
  { cells }: RecordedPack,
): [method: LedgerMethod, args: readonly unknown[], answer: unknown] {
  switch (kind) {
    case 'join':
      return ['join', [what], who]
    case 'grant':
      return ['grant', [who], [{ cell: what, epoch }]]
    case 'given up':
      return ['release', [what, epoch], true]
    case 'leave':
      return ['leave', [who], undefined]
    case 'end':
      return ['tryEnd', [], 'done']
    case 'commit':
      return ['commit', [{ id: what, incarnation: who, cells }], { status: 'committed' }]
  }
}

/**
 * An answer leaves the server a latency after its request was logged: however busy this machine is, not
 * before.
 */
function requestEvents({ log, plan, knobs, authority }: RealRun, checker: Checker): Event[] {
  const sites = new Map(Array.from({ length: plan.sites }, (_, i) => [authority(i), i]))
  const crawler = { name: 'the crawl' }
  return log.flatMap(({ startMs, site, target, status }) => {
    const answeredMs = status === 0 ? 0 : latencyOf(plan, knobs, sites.get(site)!, target)
    let request = 0
    return [
      {
        at: startMs,
        tell: () => {
          request = checker.requested(crawler, `http://${site}${target}`)
        },
      },
      { at: startMs + answeredMs, tell: () => checker.answered(request) },
    ]
  })
}

function diskOf({ files, sizes, pages }: RealRun) {
  const rows = pages.map(url => ({ url, outcome: 'OK' as const }))
  return {
    spoiled: new Set<string>(),
    read: (file: FileRow) => ({
      rows: file === files[0] ? rows : [],
      foundBytes: sizes.get(file.name) ?? 0,
    }),
  }
}
