/**
 * Counts the messages that reach this agent (D23). A message is a distinct (source page, target agent), a
 * coalesced message a distinct (source site, target agent), whatever the batching. So the target counts, when
 * the pack that consumes the rows is committed. The ledger keeps what all incarnations of an agent have
 * received, and the sets spill to disk: the count is exact across resume, in bounded memory.
 */
import type { Ledger, ReceivedMessages } from '../../../ledger/index.js'
import { fingerprint, takeFingerprint } from '../../../model/bytes/index.js'
import { siteOf } from '../../../model/url/index.js'
import { SeenSet, type SeenSpace } from '../../../page/frontier/seen/index.js'
import type { Counters } from '../site/index.js'

const RESTORED_PARTS = 100
const HALF_BYTES = 4

/** The links that one pack cell has consumed from other agents, as pairs of fingerprint halves. */
export class ReceivedLinks {
  links = 0
  readonly pages: number[] = []
  readonly sites: number[] = []
  #lastPage = ''
  #lastSite = ''

  /**
   * Counts a link; returns true if its page was kept, that is, if it differs from the page of the previous
   * link. The rows of one page are mostly adjacent.
   */
  add(page: string): boolean {
    this.links++
    if (page === this.#lastPage) return false
    this.#lastPage = page
    keep(this.pages, page)
    const site = siteOf(page)
    if (site !== this.#lastSite) keep(this.sites, site)
    this.#lastSite = site
    return true
  }
}

function keep(list: number[], text: string): void {
  takeFingerprint(text)
  list.push(fingerprint.low, fingerprint.high)
}

const NOTHING: ReceivedMessages = { links: 0, pages: new Uint8Array(0), sites: new Uint8Array(0) }

export class MessageCount {
  /** The receiving agent. Its links to itself are no messages. */
  readonly agent: string
  readonly #ledger: Ledger
  readonly #pages: SeenSet
  readonly #sites: SeenSet
  #restored = false

  constructor(agent: string, ledger: Ledger, space: SeenSpace) {
    this.agent = agent
    this.#ledger = ledger
    this.#pages = new SeenSet(space)
    this.#sites = new SeenSet(space)
  }

  /** The messages that are new in a pack. The pack before it must be committed. */
  async newIn(packCells: readonly ReceivedLinks[]): Promise<ReceivedMessages> {
    const links = packCells.reduce((sum, packCell) => sum + packCell.links, 0)
    if (links === 0) return NOTHING
    if (!this.#restored) await this.#restore()
    const [pages, sites] = [packCells.map(cell => cell.pages), packCells.map(cell => cell.sites)]
    return { links, pages: notCounted(this.#pages, pages), sites: notCounted(this.#sites, sites) }
  }

  /** The pack with these messages is committed. */
  committed({ links, pages, sites }: ReceivedMessages, counters: Counters): void {
    counters.exchanged += links
    counters.messages += remember(this.#pages, pages)
    counters.coalescedMessages += remember(this.#sites, sites)
  }

  async #restore(): Promise<void> {
    for (let after = 0; ; ) {
      const parts = await this.#ledger.readHeard(this.agent, after, RESTORED_PARTS)
      for (const part of parts) {
        remember(this.#pages, part.pages)
        remember(this.#sites, part.sites)
      }
      if (parts.length < RESTORED_PARTS) break
      after = parts[parts.length - 1].number
    }
    this.#restored = true
  }
}

function notCounted(known: SeenSet, lists: readonly (readonly number[])[]): Uint8Array {
  const fresh = new Map<string, readonly [number, number]>()
  for (const list of lists) {
    for (let i = 0; i < list.length; i += 2) {
      if (!known.has(list[i], list[i + 1])) fresh.set(`${list[i]} ${list[i + 1]}`, [list[i], list[i + 1]])
    }
  }
  const bytes = Buffer.alloc(fresh.size * 2 * HALF_BYTES)
  let at = 0
  for (const [low, high] of fresh.values()) {
    at = bytes.writeUInt32LE(low, at)
    at = bytes.writeUInt32LE(high, at)
  }
  return bytes
}

function remember(known: SeenSet, fingerprints: Uint8Array): number {
  const { buffer, byteOffset, byteLength } = fingerprints
  const view = new DataView(buffer, byteOffset, byteLength)
  for (let at = 0; at < byteLength; at += 2 * HALF_BYTES)
    known.add(view.getUint32(at, true), view.getUint32(at + HALF_BYTES, true))
  return byteLength / (2 * HALF_BYTES)
}
