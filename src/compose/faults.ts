/**
 * For fault tests only: `ORBWEAVER_FAULTS` makes leases short and lets SIGUSR2 do harm to one agent after the other, e.g.
 * `lease=2000,kill,freeze=5000`: the first signal ends the thread of agent-1, the second stops agent-2 for five seconds,
 * and so on in turn. With `deaf` agents are not told of new rows: the bus may lose what it wants. See CONTRIBUTING.md.
 */
import type { Millis } from '../model/clock.js'

export type Harm = 'kill' | { readonly freezeMs: Millis }

export interface Faults {
  readonly leaseMs: Millis | null
  readonly isDeaf: boolean
  /** True when signals do harm; else they are left as they are. */
  readonly isHarmful: boolean
  /** What the next signal does. */
  next(): Harm | null
}

export function readFaults(text: string | undefined): Faults {
  const harms: Harm[] = []
  let leaseMs: Millis | null = null
  let isDeaf = false
  for (const word of (text ?? '').split(',')) {
    const [name, value] = word.split('=')
    if (name === 'lease') leaseMs = Number(value)
    if (name === 'deaf') isDeaf = true
    if (name === 'kill') harms.push('kill')
    if (name === 'freeze') harms.push({ freezeMs: Number(value) })
  }
  let done = 0
  const isHarmful = harms.length > 0
  return { leaseMs, isDeaf, isHarmful, next: () => (isHarmful ? harms[done++ % harms.length] : null) }
}
