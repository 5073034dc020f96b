/**
 * The bus of the simulated world: messages come late, out of order, twice or not at all; not while a machine
 * is frozen, never once it is dead. Who would not listen to a message anyway is not sent it: a thousand
 * agents do not all have to hear that one cell has something to read.
 */
import type { Bus, BusMessage } from '../bus/index.js'
import type { Incarnation } from '../ledger/index.js'
import {
  type CellId,
  type GroupId,
  groupOf,
  type Lease,
  type Millis,
  type Random,
  siteOfCell,
} from '../model/index.js'
import type { LedgerMethod, LedgerWitness } from './flaky-ledger.js'
import type { Machine } from './machine.js'

export interface BusQuality {
  /** Chances of every message on its way to one listener. */
  readonly lost: number
  readonly doubled: number
  /** On average; the longest is twice that, so messages overtake each other. */
  readonly delayMs: Millis
}

export const GOOD_BUS: BusQuality = { lost: 0, doubled: 0, delayMs: 1 }
export const BAD_BUS: BusQuality = { lost: 0.2, doubled: 0.1, delayMs: 20 }

/** Of a thousand agents that say how far they are from each other, a few are enough here. */
const PINGED = 2

type Role = 'agent' | 'coordinator'

interface End {
  readonly machine: Machine
  hear: ((message: BusMessage) => void) | null
}

export class FlakyBus implements LedgerWitness {
  readonly #random: Random
  readonly #quality: BusQuality
  readonly #ends: Readonly<Record<Role, Map<Incarnation, End>>> = { agent: new Map(), coordinator: new Map() }
  /** Who was last given a cell, and who has the seat: they listen. */
  readonly #holders = new Map<CellId, Incarnation>()
  readonly #groupHolders = new Map<GroupId, Incarnation>()
  #seated: Incarnation = 0

  constructor(random: Random, quality: BusQuality) {
    this.#random = random
    this.#quality = quality
  }

  join(machine: Machine, incarnation: Incarnation, role: Role): Bus {
    const end: End = { machine, hear: null }
    this.#ends[role].set(incarnation, end)
    machine.onDeath(() => this.#ends[role].delete(incarnation))
    return {
      send: message => {
        if (!machine.isCutOff) this.#send(end, message)
      },
      subscribe: hear => {
        end.hear = hear
        return () => {
          end.hear = null
        }
      },
    }
  }

  called(method: LedgerMethod, args: readonly unknown[], answer: unknown): void {
    if (method === 'takeSeat' && answer !== null) this.#seated = args[0] as Incarnation
    if (method !== 'grant') return
    for (const { cell } of answer as readonly Lease[]) {
      this.#holders.set(cell, args[0] as Incarnation)
      this.#groupHolders.set(groupOf(siteOfCell(cell), 'domain'), args[0] as Incarnation)
    }
  }

  #send(from: End, message: BusMessage): void {
    for (const to of this.#listenersTo(message)) if (to !== undefined && to !== from) this.#carry(to, message)
  }

  #listenersTo(message: BusMessage): Iterable<End | undefined> {
    const { agent, coordinator } = this.#ends
    switch (message.kind) {
      case 'leases':
      case 'wanted':
      case 'move':
      case 'spare':
      case 'yours':
      case 'pong':
        return [agent.get(message.to)]
      case 'ping':
        return first(agent.values(), PINGED)
      case 'free':
        return [coordinator.get(this.#seated)]
      case 'inbox': {
        const holders = new Set(message.cells.map(cell => agent.get(this.#holders.get(cell) ?? 0)))
        return [coordinator.get(this.#seated), ...holders]
      }
      case 'turn-request': {
        const holders = new Set(message.groups.map(group => agent.get(this.#groupHolders.get(group) ?? 0)))
        return [coordinator.get(this.#seated), ...holders]
      }
      case 'routes':
        return agent.values()
      case 'ended':
        return [...agent.values(), ...coordinator.values()]
    }
  }

  #carry(to: End, message: BusMessage): void {
    const { lost, doubled, delayMs } = this.#quality
    const copies = this.#random.next() < lost ? 0 : this.#random.next() < doubled ? 2 : 1
    for (let copy = 0; copy < copies; copy++)
      to.machine.later(2 * delayMs * this.#random.next(), () => to.hear?.(message))
  }
}

function* first<T>(values: Iterable<T>, count: number): Iterable<T> {
  let left = count
  for (const value of values) {
    if (left-- <= 0) return
    yield value
  }
}
