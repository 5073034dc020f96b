/**
 * Facts about hosts in a pack, for the next crawl: address and connect time of each site, how many known
 * pages were checked and how many had changed, and the bytes that are not pages. A row is a line of text; the
 * rows follow their size in bytes. Fields: site, address, milliseconds to connect (-1: no connection),
 * checked, changed, other bytes. They are in the log of pages, which every site has.
 */
import { siteOf } from '../../../model/url/index.js'
import { ByteSink } from '../bytes/index.js'

interface HostFact {
  readonly leaseKey: string
  readonly site: string
  readonly address: string
  connectMs: number
  checked: number
  changed: number
  otherBytes: number
}

const NEVER = -1

export class HostFacts {
  /** By lease key, site and address; there are as few entries as connections. */
  readonly #facts = new Map<string, HostFact>()

  connected(leaseKey: string, url: string, address: string, connectMs: number): void {
    const fact = this.#of(leaseKey, siteOf(url), address)
    fact.connectMs = fact.connectMs === NEVER ? connectMs : Math.min(fact.connectMs, connectMs)
  }

  checked(leaseKey: string, url: string, changed: boolean): void {
    const fact = this.#of(leaseKey, siteOf(url), '')
    fact.checked++
    if (changed) fact.changed++
  }

  other(leaseKey: string, url: string, bytes: number): void {
    this.#of(leaseKey, siteOf(url), '').otherBytes += bytes
  }

  /** All rows except those of dropped lease keys. */
  toBytes(dropped: ReadonlySet<string>): Buffer {
    const sink = new ByteSink()
    for (const fact of this.#facts.values()) {
      if (dropped.has(fact.leaseKey)) continue
      const start = sink.length
      sink.uint32(0)
      const { site, address, connectMs, checked, changed, otherBytes } = fact
      sink.text([site, address, connectMs.toFixed(1), checked, changed, otherBytes].join('\t'))
      sink.view().writeUInt32LE(sink.length - start, start)
    }
    return sink.view()
  }

  clear(): void {
    this.#facts.clear()
  }

  #of(leaseKey: string, site: string, address: string): HostFact {
    const key = `${leaseKey} ${site} ${address}`
    let fact = this.#facts.get(key)
    if (!fact) {
      fact = { leaseKey, site, address, connectMs: NEVER, checked: 0, changed: 0, otherBytes: 0 }
      this.#facts.set(key, fact)
    }
    return fact
  }
}
