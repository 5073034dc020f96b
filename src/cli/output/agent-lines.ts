/**
 * What the agents of a running crawl last reported (D4): lanes, machine, and round-trip times between them.
 */

import type { LaneStatus } from '../../bus/index.js'
import type { MachineLoad, Peer } from '../../cluster/agent/heartbeat/index.js'
import { type AgentRow, type Incarnation, silenceOf, withHeartbeat } from '../../ledger/index.js'
import { type Millis, number, plural } from '../../model/index.js'
import { duration, size } from './summary.js'

export interface AgentState {
  readonly name: string
  readonly incarnation: Incarnation
  /** Since its last heartbeat. */
  readonly silentMs: Millis
  /**
   * No heartbeat for some seconds: killed, frozen or cut off. Its last report on lanes and machine is out of
   * date.
   */
  readonly isSilent: boolean
  readonly lanes: number
  readonly busyLanes: number
  /** Lanes that wait for a site. */
  readonly freeLanes: number
  /** Cells leased to it; a silent agent keeps them until its lease ends. */
  readonly sites: number
  readonly pages: number
  readonly capacity: number
  readonly load: MachineLoad | null
  readonly peers: readonly (Peer & { readonly name: string })[]
}

type Reported = Partial<
  LaneStatus & {
    readonly pages: number
    readonly load: MachineLoad | null
    readonly peers: Readonly<Record<string, Peer>>
  }
>

/** The agents that crawl, in the order in which they joined. */
export function agentStates(rows: readonly AgentRow[]): AgentState[] {
  const silenceMs = silenceOf(rows)
  const heard = new Map(withHeartbeat(rows).map(({ incarnation, name }) => [incarnation, name]))
  return rows
    .filter(({ lanes }) => lanes > 0)
    .map(row => {
      const { name, incarnation, lanes } = row
      const reported = JSON.parse(row.status) as Reported
      const isSilent = !heard.has(incarnation)
      const now: Reported = isSilent
        ? { held: reported.held ?? 0, pages: reported.pages ?? 0, capacity: 0 }
        : reported
      return {
        name,
        incarnation,
        silentMs: silenceMs(row),
        isSilent,
        lanes,
        busyLanes: now.busyLanes?.length ?? 0,
        freeLanes: now.free ?? 0,
        sites: now.held ?? 0,
        pages: now.pages ?? 0,
        capacity: now.capacity ?? 1,
        load: now.load ?? null,
        peers: Object.entries(now.peers ?? {}).flatMap(([incarnation, peer]) => {
          const other = heard.get(Number(incarnation))
          return other === undefined ? [] : [{ name: other, ...peer }]
        }),
      }
    })
}

export function agentLines(agents: readonly AgentState[]): string[] {
  return agents.flatMap(agent => (agent.isSilent ? [silentLine(agent)] : presentLines(agent)))
}

function silentLine({ name, silentMs, sites }: AgentState): string {
  const left = sites === 0 ? '' : `; ${plural(sites, 'site')} leased to it until its lease ends`
  return `  ${name.padEnd(8)} not heard from for ${duration(silentMs / 1000)}${left}`
}

function presentLines(agent: AgentState): string[] {
  return [
    `  ${agent.name.padEnd(8)} ${number(agent.sites)} sites leased, ${number(agent.busyLanes)} of ` +
      `${number(agent.lanes)} lanes busy, room for ${number(agent.freeLanes)} more sites; capacity ${agent.capacity}`,
    ...(agent.load ? [`           ${loadText(agent.load)}`] : []),
    ...agent.peers.map(
      ({ name, rttMs, bytesPerSecond }) =>
        `           ${name} is ${rttMs.toFixed(2)} ms away, at least ${size(bytesPerSecond)}/s`,
    ),
  ]
}

/** What agents with a heartbeat last reported to wait for. */
export function waitingOf(rows: readonly AgentRow[]): string {
  const said = withHeartbeat(rows).map(({ status }) =>
    String((JSON.parse(status) as { waiting?: string }).waiting ?? ''),
  )
  return said.filter(Boolean).join('; ')
}

function loadText(load: MachineLoad): string {
  const { cpuIdle, memoryFree, diskFree, bandwidthFree, bytesPerSecond } = load
  const line =
    bandwidthFree === null ? 'bandwidth unknown' : `${percent(bandwidthFree)} of its bandwidth free`
  return (
    `CPU ${percent(cpuIdle)} idle, memory ${percent(memoryFree)} free, disk ${percent(diskFree)} free, ` +
    `receives ${size(bytesPerSecond)}/s, ${line}`
  )
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`
}
