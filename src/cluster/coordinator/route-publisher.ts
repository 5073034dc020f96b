/**
 * What the coordinator tells agents that route on their own (S2), by settings of the ledger that come with
 * every heartbeat: who is here and who has which part. The next coordinator goes on with the same. It also
 * keeps count of who took what.
 */

import type { Bus } from '../../bus/index.js'
import type { AgentRow, Ledger } from '../../ledger/index.js'
import type { Clock, Millis } from '../../model/index.js'
import type { AgentView, Assignment } from '../../plan/assign/index.js'
import { PART_OWNERS, ROUTING_MEMBERS, ROUTING_STAGE, stageIn } from '../../plan/assign/learned/index.js'
import type { AgentRegistry } from './agent-registry.js'
import { CellAccount } from './cell-account.js'

/** Of the table that a crawl begins with. */
export const FIRST_STAGE = 1

/**
 * Begins a stage: agents replace their tables before they take anything more. A coordinator that comes after
 * another begins one too: that one may have died between the table and its number. Where there is no table
 * and none `comes`, there is none.
 */
export async function newStage(ledger: Ledger, comes?: Readonly<Record<string, string>>): Promise<number> {
  const stage = stageIn(await ledger.settings())
  if (stage === 0 && comes === undefined) return 0
  await ledger.set({ ...comes, [ROUTING_STAGE]: String(stage + 1) })
  return stage + 1
}

/** The account is for the report alone: what a coordinator that dies has not written is missing there. */
const SAVE_MS: Millis = 5_000

export class RoutePublisher {
  readonly #clock: Clock
  readonly #ledger: Ledger
  readonly #bus: Bus
  readonly #assignment: Assignment
  readonly account = new CellAccount()
  /** What agents were last told of each other. */
  #membersText = ''
  #incarnations = ''
  #stage = 0
  #saveAt: Millis = 0

  constructor(clock: Clock, ledger: Ledger, bus: Bus, assignment: Assignment) {
    this.#clock = clock
    this.#ledger = ledger
    this.#bus = bus
    this.#assignment = assignment
  }

  /** The seat is ours from now on. */
  async restore(): Promise<void> {
    const { owners } = this.#assignment
    if (!owners) return
    const settings = await this.#ledger.settings()
    this.account.restore(settings)
    this.#membersText = settings[ROUTING_MEMBERS] ?? ''
    owners.restore(JSON.parse(settings[PART_OWNERS] ?? '[]') as string[])
  }

  /** With every beat, after a look at who is here. */
  async look(rows: readonly AgentRow[], book: AgentRegistry): Promise<void> {
    if (!this.#assignment.owners) return
    this.#count(book)
    this.account.look(rows)
    this.#show(book.views())
    await this.tell()
    if (this.#clock.monotonic() >= this.#saveAt) await this.#save(book)
  }

  /** The assignment has to have seen who is here before it can say who owns what. */
  #show(agents: readonly AgentView[]): void {
    this.#assignment.assign([], agents)
  }

  /** After the assignment was asked: what it has decided is written down before anything is leased by it. */
  async tell(): Promise<void> {
    const { owners, routes } = this.#assignment
    if (!owners) return
    const changed = owners.takeChanged()
    const members = routes?.members ?? []
    const membersText = JSON.stringify(members)
    const stage = routes?.stage ?? 0
    if (changed === null && membersText === this.#membersText && stage === this.#stage) return
    this.#membersText = membersText
    const incarnations = members.map(({ incarnation }) => incarnation).join()
    const isUrgent = changed !== null || incarnations !== this.#incarnations || stage !== this.#stage
    this.#incarnations = incarnations
    this.#stage = stage
    await this.#ledger.set({
      [ROUTING_MEMBERS]: membersText,
      ...(changed && { [PART_OWNERS]: JSON.stringify(changed) }),
    })
    // Capacities change all the time: that is heard early enough with the next heartbeat.
    if (isUrgent) this.#bus.send({ kind: 'routes' })
  }

  /** The crawl is over: the account as it is now. */
  async close(book: AgentRegistry): Promise<void> {
    if (!this.#assignment.owners) return
    book.look(await this.#ledger.agents())
    await this.#save(book)
  }

  async #save(book: AgentRegistry): Promise<void> {
    this.#saveAt = this.#clock.monotonic() + SAVE_MS
    this.#count(book)
    const changed = this.account.takeChanged()
    if (changed !== null) await this.#ledger.set(changed)
  }

  #count(book: AgentRegistry): void {
    for (const [incarnation, cells] of book.taken()) this.account.took(incarnation, cells)
  }
}
