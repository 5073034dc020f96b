/**
 * What a pack says of hosts, for the next crawl: where a site was reached, how long it took to connect, how
 * many pages were asked for again and how many of them had changed, and the bytes of what came and was no
 * page. Rows of text behind their size: site, address, milliseconds to connect (-1: nobody did), checked,
 * changed, other bytes. They stand in the log of pages, which every site has.
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
  /** By tenancy, site and address: connections are few, and so are these. */
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

  /** All rows but those of the dropped tenancies. */
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
