/** The bus as a machine hears it: late, out of order, twice or not at all; not while it is frozen, never once it is dead. */
import type { Bus, LocalBus } from '../cluster/index.js'
import type { Millis } from '../model/clock.js'
import type { Random } from '../model/random.js'
import type { Machine } from './machine.js'

export interface BusQuality {
  /** Chances of every message on its way to one machine. */
  readonly lost: number
  readonly doubled: number
  /** On average; the longest is twice that, so messages overtake each other. */
  readonly delayMs: Millis
}

export const GOOD_BUS: BusQuality = { lost: 0, doubled: 0, delayMs: 1 }
export const BAD_BUS: BusQuality = { lost: 0.2, doubled: 0.1, delayMs: 20 }

export function flakyBus(bus: LocalBus, machine: Machine, random: Random, quality: BusQuality): Bus {
  const end = bus.join()
  machine.onDeath(() => bus.leave(end))
  const { lost, doubled, delayMs } = quality
  return {
    send: message => {
      if (!machine.isCutOff) end.send(message)
    },
    listen: hear =>
      end.listen(message => {
        const copies = random.next() < lost ? 0 : random.next() < doubled ? 2 : 1
        for (let copy = 0; copy < copies; copy++)
          machine.after(2 * delayMs * random.next(), () => hear(message))
      }),
  }
}
