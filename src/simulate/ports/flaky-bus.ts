/**
 * The simulated bus: messages arrive late, out of order, twice or not at all; not while a machine is frozen,
 * never on a dead one. Messages go only to those that would act on them, because with a thousand agents most
 * would not.
 */
import type { Bus, BusMessage } from '../../bus/index.js'
import type { Incarnation } from '../../ledger/index.js'
import {
  type CellId,
  type GroupId,
  groupOf,
  type Lease,
  type Millis,
  type Random,
  siteOfCell,
} from '../../model/index.js'
import type { Machine } from '../machines/index.js'
import type { LedgerMethod, LedgerWitness } from './flaky-ledger.js'

export interface BusQuality {
  /** Chances of each message to each subscriber. */
  readonly lost: number
  readonly doubled: number
  /** The mean. The longest delay is twice this, so messages overtake each other. */
  readonly delayMs: Millis
}

export const GOOD_BUS: BusQuality = { lost: 0, doubled: 0, delayMs: 1 }
export const BAD_BUS: BusQuality = { lost: 0.2, doubled: 0.1, delayMs: 20 }

type Role = 'agent' | 'coordinator'

interface End {
  readonly machine: Machine
  receive: ((message: BusMessage) => void) | null
}

export class FlakyBus implements LedgerWitness {
  readonly #random: Random
  readonly #quality: BusQuality
  readonly #ends: Readonly<Record<Role, Map<Incarnation, End>>> = { agent: new Map(), coordinator: new Map() }
  /** The last holders of cells and groups, and of the coordinator's seat. */
  readonly #holders = new Map<CellId, Incarnation>()
  readonly #groupHolders = new Map<GroupId, Incarnation>()
  #coordinator: Incarnation = 0

  constructor(random: Random, quality: BusQuality) {
    this.#random = random
    this.#quality = quality
  }

  join(machine: Machine, incarnation: Incarnation, role: Role): Bus {
    const end: End = { machine, receive: null }
    this.#ends[role].set(incarnation, end)
    machine.onDeath(() => this.#ends[role].delete(incarnation))
    return {
      send: message => {
        if (!machine.isCutOff) this.#send(end, message)
      },
      subscribe: receive => {
        end.receive = receive
        return () => {
          end.receive = null
        }
      },
    }
  }

  called(method: LedgerMethod, args: readonly unknown[], answer: unknown): void {
    if (method === 'takeSeat' && answer !== null) this.#coordinator = args[0] as Incarnation
    if (method !== 'grant') return
    for (const { cell } of answer as readonly Lease[]) {
      this.#holders.set(cell, args[0] as Incarnation)
      this.#groupHolders.set(groupOf(siteOfCell(cell), 'domain'), args[0] as Incarnation)
    }
  }

  #send(from: End, message: BusMessage): void {
    for (const to of this.#receivers(message)) if (to !== undefined && to !== from) this.#carry(to, message)
  }

  #receivers(message: BusMessage): Iterable<End | undefined> {
    const { agent, coordinator } = this.#ends
    switch (message.kind) {
      case 'leases':
      case 'wanted':
      case 'move':
      case 'spare':
      case 'yours':
      case 'pong':
        return [agent.get(message.to)]
      case 'ping': {
        // Two answers are enough here; a thousand agents would answer each other a million times.
        const ends = agent.values()
        return [ends.next().value, ends.next().value]
      }
      case 'free':
        return [coordinator.get(this.#coordinator)]
      case 'inbox':
        return this.#withCoordinator(message.cells.map(cell => this.#holders.get(cell)))
      case 'turn-request':
        return this.#withCoordinator(message.groups.map(group => this.#groupHolders.get(group)))
      case 'routes':
        return agent.values()
      case 'ended':
        return [...agent.values(), ...coordinator.values()]
    }
  }

  #withCoordinator(holders: readonly (Incarnation | undefined)[]): (End | undefined)[] {
    const { agent, coordinator } = this.#ends
    return [coordinator.get(this.#coordinator), ...new Set(holders.map(holder => agent.get(holder ?? 0)))]
  }

  #carry(to: End, message: BusMessage): void {
    const { lost, doubled, delayMs } = this.#quality
    const copies = this.#random.next() < lost ? 0 : this.#random.next() < doubled ? 2 : 1
    for (let copy = 0; copy < copies; copy++)
      to.machine.later(2 * delayMs * this.#random.next(), () => to.receive?.(message))
  }
}
