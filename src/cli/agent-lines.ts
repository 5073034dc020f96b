/** What the agents of a running crawl last said of themselves (D4): lanes, machine, and how far they are from each other. */
import type { MachineLoad, Peer } from '../agent/index.js'
import type { AgentRow, Incarnation, LaneStatus } from '../cluster/index.js'
import type { Millis } from '../model/clock.js'
import { number, size } from './summary.js'

export interface AgentState {
  readonly name: string
  readonly incarnation: Incarnation
  /** Since its last heartbeat. */
  readonly silentMs: Millis
  readonly lanes: number
  readonly busyLanes: number
  /** Sites it would take now. */
  readonly freeLanes: number
  /** Cells in hand. */
  readonly sites: number
  readonly pages: number
  readonly capacity: number
  readonly load: MachineLoad | null
  readonly peers: readonly (Peer & { readonly name: string })[]
}

type Told = Partial<
  LaneStatus & {
    readonly pages: number
    readonly load: MachineLoad | null
    readonly peers: Readonly<Record<string, Peer>>
  }
>

/** Those that crawl, in the order they came. */
export function agentStates(rows: readonly AgentRow[], now: Millis): AgentState[] {
  const names = new Map(rows.map(({ incarnation, name }) => [incarnation, name]))
  return rows
    .filter(({ lanes }) => lanes > 0)
    .map(({ name, incarnation, heartbeatAt, lanes, status }) => {
      const told = JSON.parse(status) as Told
      return {
        name,
        incarnation,
        silentMs: Math.max(0, now - heartbeatAt),
        lanes,
        busyLanes: told.busyLanes?.length ?? 0,
        freeLanes: told.free ?? 0,
        sites: told.held ?? 0,
        pages: told.pages ?? 0,
        capacity: told.capacity ?? 1,
        load: told.load ?? null,
        peers: Object.entries(told.peers ?? {}).flatMap(([life, peer]) => {
          const other = names.get(Number(life))
          return other === undefined ? [] : [{ name: other, ...peer }]
        }),
      }
    })
}

export function agentLines(agents: readonly AgentState[]): string[] {
  return agents.flatMap(agent => [
    `  ${agent.name.padEnd(8)} ${number(agent.sites)} sites in hand, ${number(agent.busyLanes)} of ` +
      `${number(agent.lanes)} lanes at work, ${number(agent.freeLanes)} more wanted; capacity ${agent.capacity}`,
    ...(agent.load ? [`           ${loadText(agent.load)}`] : []),
    ...agent.peers.map(
      ({ name, rttMs, bytesPerSecond }) =>
        `           ${name} is ${rttMs.toFixed(2)} ms away, at least ${size(bytesPerSecond)}/s`,
    ),
  ])
}

function loadText(load: MachineLoad): string {
  const { cpuIdle, memoryFree, diskFree, bandwidthFree, bytesPerSecond } = load
  const line =
    bandwidthFree === null ? 'line of unknown speed' : `${percent(bandwidthFree)} of its bandwidth free`
  return (
    `CPU ${percent(cpuIdle)} idle, memory ${percent(memoryFree)} free, disk ${percent(diskFree)} free, ` +
    `receives ${size(bytesPerSecond)}/s, ${line}`
  )
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`
}
