/** Work of agents and their lanes, and messages between agents, in memory. */
import type { Millis } from '../../model/index.js'
import type { AgentWork, Pack } from '../index.js'
import type { MemoryState } from './memory-state.js'

const FINGERPRINT_BYTES = 8

interface Part {
  readonly number: number
  readonly pages: Uint8Array
  readonly sites: Uint8Array
}

interface Work {
  links: number
  messages: number
  coalescedMessages: number
  readonly lanes: Map<number, { pages: number; fetchMs: Millis }>
  readonly received: Part[]
}

export class MemoryWork {
  readonly #state: MemoryState
  readonly #byAgent = new Map<string, Work>()
  #parts = 0

  constructor(state: MemoryState) {
    this.#state = state
  }

  /** Part of the step that commits the pack. */
  add({ incarnation, lanes, received }: Pack): void {
    const work = this.#of(this.#state.incarnationRow(incarnation)!.name)
    for (const { lane, pages, fetchMs } of lanes) {
      const known = work.lanes.get(lane)
      work.lanes.set(lane, {
        pages: (known?.pages ?? 0) + pages,
        fetchMs: (known?.fetchMs ?? 0) + fetchMs,
      })
    }
    work.links += received.links
    work.messages += received.pages.length / FINGERPRINT_BYTES
    work.coalescedMessages += received.sites.length / FINGERPRINT_BYTES
    if (received.pages.length === 0) return
    // Copies, because the sender reuses its buffers.
    const [pages, sites] = [Uint8Array.from(received.pages), Uint8Array.from(received.sites)]
    work.received.push({ number: ++this.#parts, pages, sites })
  }

  readHeard(agent: string, after: number, limit: number): Part[] {
    const received = this.#byAgent.get(agent)?.received ?? []
    return received.filter(({ number }) => number > after).slice(0, limit)
  }

  agentWork(): AgentWork[] {
    const sums = new Map<string, Omit<AgentWork, 'links' | 'messages' | 'coalescedMessages' | 'lanes'>>()
    for (const incarnationRow of this.#state.incarnations) {
      const { name, pages, bytes, fetchMs, lanes } = incarnationRow
      // Incarnations that only coordinated did no work.
      if (lanes === 0) continue
      const fetches = incarnationRow.open
        ? incarnationRow.fetches
        : Math.max(incarnationRow.fetches, fetchesIn(incarnationRow.status))
      const known = sums.get(name) ?? { name, incarnations: 0, pages: 0, bytes: 0, fetchMs: 0, fetches: 0 }
      sums.set(name, {
        name,
        incarnations: known.incarnations + 1,
        pages: known.pages + pages,
        bytes: known.bytes + bytes,
        fetchMs: known.fetchMs + fetchMs,
        fetches: known.fetches + fetches,
      })
    }
    return [...sums.values()]
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map(sum => {
        const { links, messages, coalescedMessages, lanes } = this.#of(sum.name)
        const byNumber = [...lanes].sort(([a], [b]) => a - b).map(([lane, done]) => ({ lane, ...done }))
        return { ...sum, links, messages, coalescedMessages, lanes: byNumber }
      })
  }

  #of(agent: string): Work {
    let work = this.#byAgent.get(agent)
    if (!work) {
      work = { links: 0, messages: 0, coalescedMessages: 0, lanes: new Map(), received: [] }
      this.#byAgent.set(agent, work)
    }
    return work
  }
}

function fetchesIn(status: string): number {
  return Number((JSON.parse(status) as { fetches?: unknown }).fetches ?? 0)
}
