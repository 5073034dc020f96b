/**
 * Watches a run and reports which promise it broke. It keeps its own records of leases, requests and
 * acknowledged pages from what it observes, and trusts neither agents nor ledger.
 */
import type { FileRow, Incarnation, Pack } from '../../ledger/index.js'
import type { CellId, Epoch, Lease, OutcomeCode } from '../../model/index.js'
import { type Site, siteOf } from '../../model/url/index.js'
import type { Disk, LedgerMethod, LedgerWitness, StoredRow, Web, Witness } from '../ports/index.js'
import type { History } from './history.js'
import { type Requester, TrafficChecker, type TrafficParts } from './traffic-checker.js'

/** The promises of docs/explanation/promises.md, and the paper's rule for the cells of a failed agent. */
export type Promised = 'P1' | 'P2' | 'P3' | 'P4' | 'P5' | 'P6' | 'P7' | 'P8' | 'P9' | 'D16' | 'bug'

export interface Violation {
  readonly promise: Promised
  readonly what: string
  /** Length of the history at that moment. */
  readonly after?: number
  /** Words that select the related facts of the history. */
  readonly about: readonly string[]
}

interface Request {
  readonly site: Site
  readonly url: string
  readonly isRobots: boolean
}

interface Holder {
  readonly incarnation: Incarnation
  readonly epoch: Epoch
}

/** The web and time of the simulator, or stand-ins for real ones. */
export interface CheckerParts extends TrafficParts {
  readonly web: TrafficParts['web'] & Pick<Web, 'truth' | 'isForbidden'>
  readonly history: History
}

/** Later violations are dropped: the first ones show what is wrong. */
const MOST_VIOLATIONS = 20

export class Checker implements Witness, LedgerWitness {
  readonly violations: Violation[] = []
  readonly #parts: CheckerParts
  readonly #traffic: TrafficChecker
  readonly #requests = new Map<number, Request>()
  readonly #stored = new Map<string, readonly StoredRow[]>()
  readonly #acknowledged = new Map<string, OutcomeCode>()
  #overlap = 0
  readonly #holders = new Map<CellId, Holder>()
  readonly #epochs = new Map<CellId, Epoch>()
  readonly #closedIncarnations = new Set<Incarnation>()
  readonly #packs = new Set<string>()
  #requestCount = 0
  #isClosed = false
  /** Page requests, without robots.txt. */
  fetches = 0
  readonly #fetched = new Set<string>()
  refusedCommits = 0
  refusedFinishes = 0

  readonly #onCall: Partial<Record<LedgerMethod, (args: readonly unknown[], answer: unknown) => void>> = {
    join: ([name], incarnation) => this.#parts.history.add('join', String(name), incarnation as Incarnation),
    grant: ([incarnation], leases) => this.#granted(incarnation as Incarnation, leases as readonly Lease[]),
    commit: ([pack], answer) => this.#committed(pack as Pack, (answer as { status: string }).status),
    finish: (args, isDone) => {
      if (isDone === false) this.refusedFinishes++
      this.#gaveUp('finish', args, isDone)
    },
    release: (args, isDone) => this.#gaveUp('release', args, isDone),
    park: (args, isDone) => this.#gaveUp('park', args, isDone),
    rest: (args, isDone) => this.#gaveUp('rest', args, isDone),
    leave: ([incarnation]) => this.#left(incarnation as Incarnation),
    closeSilent: (_, closed) => {
      for (const incarnation of closed as readonly Incarnation[]) this.#left(incarnation)
    },
    waiting: (_, cells) => this.#headFirst(cells as readonly { cell: CellId }[]),
    tryEnd: (_, reason) => this.#ended(reason as string | null),
  }

  constructor(parts: CheckerParts) {
    this.#parts = parts
    this.#traffic = new TrafficChecker(parts, (what, about) => this.#break('P5', what, about))
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  get urlsFetched(): number {
    return this.#fetched.size
  }

  /** Copies beyond the first, per stored URL, as found on the disk at the end. */
  get overlap(): number {
    return this.#overlap
  }

  get acknowledged(): ReadonlyMap<string, OutcomeCode> {
    return this.#acknowledged
  }

  /** Checks P5, P9 and the second half of P3. */
  requested(machine: Requester, url: string): number {
    const { web, history, time } = this.#parts
    const site = siteOf(url)
    const isRobots = url.endsWith('/robots.txt')
    const request = ++this.#requestCount
    history.add('request', machine.name, url)
    this.#requests.set(request, { site, url, isRobots })
    this.#traffic.began(machine, site, url, isRobots)
    if (!isRobots) {
      this.fetches++
      this.#fetched.add(url)
      if (web.isForbidden(url)) this.#break('P9', `${url} is forbidden by robots.txt`, [url, site])
      if (this.#acknowledged.has(url))
        this.#break(
          'P3',
          `${url} was requested again at ${time.now} ms by ${machine.name}, after it was acknowledged`,
          [url],
        )
    }
    return request
  }

  answered(number: number): void {
    const { site, url, isRobots } = this.#requests.get(number)!
    this.#requests.delete(number)
    this.#parts.history.add('answer', url)
    this.#traffic.ended(site, isRobots)
  }

  /** A pack is on the disk. Its rows count as acknowledged once the ledger has committed it. */
  stored(id: string, rows: readonly StoredRow[]): void {
    this.#parts.history.add('stored', id, rows.length)
    this.#stored.set(id, rows)
  }

  called(method: LedgerMethod, args: readonly unknown[], answer: unknown): void {
    this.#onCall[method]?.(args, answer)
  }

  /** Checks what must hold at the end of the run. */
  settle(
    files: readonly FileRow[],
    disk: Pick<Disk, 'read' | 'spoiled'>,
    left: string,
    busy: readonly string[],
  ): void {
    if (!this.#isClosed) this.#break('P7', `the crawl did not end: ${left}`, [])
    if (busy.length > 0) this.#break('P7', `${busy.join(', ')} did not notice the end`, busy)
    for (const name of disk.spoiled)
      this.#break('P4', `${name} was written to after it had been truncated`, [name])
    const kept = new Map<string, number>()
    for (const file of files) {
      const { rows, foundBytes } = disk.read(file)
      if (foundBytes < file.bytes)
        this.#break('P1', `${file.name} has ${foundBytes} of ${file.bytes} committed bytes`, [file.name])
      for (const { url } of rows) kept.set(url, (kept.get(url) ?? 0) + 1)
    }
    const rows = [...kept.values()].reduce((sum, copies) => sum + copies, 0)
    this.#overlap = kept.size === 0 ? 0 : (rows - kept.size) / kept.size
    for (const [url, copies] of kept)
      if (copies > 1) this.#break('P3', `${url} is stored ${copies} times`, [url, siteOf(url)])
    for (const url of this.#acknowledged.keys())
      if (!kept.has(url)) this.#break('P1', `${url} was acknowledged and is not stored`, [url, siteOf(url)])
    if (this.#isClosed) this.#compareWithTruth()
  }

  #compareWithTruth(): void {
    let expected = 0
    for (const [url, outcome] of this.#parts.web.truth()) {
      expected++
      const found = this.#acknowledged.get(url)
      if (found !== outcome)
        this.#break('P2', `${url} ended as ${found ?? 'nothing'}, should be ${outcome}`, [url, siteOf(url)])
    }
    if (this.#acknowledged.size > expected)
      this.#break('P2', `${this.#acknowledged.size - expected} URLs that do not exist were acknowledged`, [])
  }

  #granted(incarnation: Incarnation, leases: readonly Lease[]): void {
    for (const { cell, epoch } of leases) {
      this.#parts.history.add('grant', cell, incarnation, epoch)
      if (this.#isClosed) this.#break('P7', `${cell} was leased after the end`, [cell])
      if (epoch <= (this.#epochs.get(cell) ?? 0))
        this.#break('P6', `${cell} was leased twice with epoch ${epoch}`, [cell])
      this.#epochs.set(cell, epoch)
      this.#holders.set(cell, { incarnation, epoch })
    }
  }

  #committed(pack: Pack, status: string): void {
    const { history } = this.#parts
    history.add('commit', pack.id, pack.incarnation, status, pack.cells.map(({ cell }) => cell).join(','))
    if (status !== 'committed') {
      this.refusedCommits++
      return
    }
    if (this.#packs.has(pack.id)) return
    this.#packs.add(pack.id)
    if (this.#closedIncarnations.has(pack.incarnation))
      this.#break('P6', `incarnation ${pack.incarnation} was closed and committed pack ${pack.id}`, [
        pack.id,
        ...pack.cells.map(({ cell }) => cell),
      ])
    for (const { cell, epoch } of pack.cells) {
      const holder = this.#holders.get(cell)
      if (holder?.incarnation !== pack.incarnation || holder.epoch !== epoch)
        this.#break(
          'P6',
          `incarnation ${pack.incarnation} committed ${cell} with epoch ${epoch} and does not hold it`,
          [cell],
        )
    }
    const rows = this.#stored.get(pack.id)
    this.#stored.delete(pack.id)
    for (const { url, outcome } of rows ?? []) {
      if (this.#acknowledged.has(url)) this.#break('P3', `${url} was acknowledged twice`, [url, siteOf(url)])
      this.#acknowledged.set(url, outcome)
    }
  }

  #gaveUp(how: string, [cell, epoch]: readonly unknown[], isDone: unknown): void {
    this.#parts.history.add(how, cell as CellId, epoch as Epoch, String(isDone))
    if (isDone) this.#holders.delete(cell as CellId)
  }

  #left(incarnation: Incarnation): void {
    this.#parts.history.add('leave', incarnation)
    this.#closedIncarnations.add(incarnation)
  }

  #ended(reason: string | null): void {
    if (reason === null || this.#isClosed) return
    this.#isClosed = true
    this.#parts.history.add('end', reason)
  }

  /** D16: cells that an agent lost stand before all cells that nobody has held yet. */
  #headFirst(waiting: readonly { cell: CellId }[]): void {
    let fresh = ''
    for (const { cell } of waiting) {
      if (!this.#epochs.has(cell)) fresh ||= cell
      else if (fresh !== '' && this.#holders.has(cell)) {
        this.#break('D16', `${cell} was lost by its agent and waits behind ${fresh}, which is new`, [
          cell,
          fresh,
        ])
        return
      }
    }
  }

  #break(promise: Promised, what: string, about: readonly string[]): void {
    if (this.violations.length >= MOST_VIOLATIONS) return
    this.violations.push({ promise, what, about, after: this.#parts.history.length })
  }
}
