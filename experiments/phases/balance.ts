/**
 * How evenly URLs are spread over nodes and phases (K10, K12), for 2 to 10 nodes: nodes by a hash of the URL,
 * phases by a hash of the host. The paper compares with nodes by a hash of the site, and with URLs sorted by
 * reversed host name and dealt out by a k-way unshuffle. URLs are generated host by host, and only sums are
 * kept.
 */
import { charSum, fingerprint, takeFingerprint } from '../../src/model/bytes/index.js'
import type { Random } from '../../src/model/index.js'
import { type MadeHost, madeHosts, madeUrl } from './made-urls.js'

const MOST_NODES = 10
const LEAST_NODES = 2

export interface BalanceRow {
  readonly nodes: number
  /** The excess of the fullest over the mean, in per cent: of nodes by URL, of phases by host, */
  readonly urlHash: number
  readonly phases: number
  /** of nodes by site, and of nodes by unshuffled order. */
  readonly siteHash: number
  readonly unshuffle: number
  /** The share of hosts with URLs on several nodes, by URL (hence the phases) and unshuffled. */
  readonly sharedByUrl: number
  readonly sharedByUnshuffle: number
}

export function balanceOf(urls: number, random: Random): BalanceRow[] {
  const hosts = madeHosts(urls, random)
  const counts = Array.from({ length: MOST_NODES + 1 }, (_, nodes) => new Counts(nodes))
  let made = 0
  for (const host of hosts) {
    for (const count of counts) count.meet(host)
    for (let page = 0; page < host.urls; page++) {
      const sum = charSum(madeUrl(host, page, random))
      for (let nodes = LEAST_NODES; nodes <= MOST_NODES; nodes++) counts[nodes]!.add(sum)
    }
    made += host.urls
  }
  for (const host of inReversedOrder(hosts)) for (const count of counts) count.deal(host)
  return counts.slice(LEAST_NODES).map(count => count.row(made))
}

export function inReversedOrder(hosts: readonly MadeHost[]): MadeHost[] {
  return hosts
    .map(host => ({ host, key: reversed(host.name) }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ host }) => host)
}

/** Writes `www.moe.go.th` as `th.go.moe.www`. */
export function reversed(name: string): string {
  return name.split('.').reverse().join('.')
}

class Counts {
  readonly #nodes: number
  readonly #byUrl: number[]
  readonly #phases: number[]
  readonly #bySite: number[]
  readonly #unshuffled: number[]
  /** Nodes of the current host; at most two are kept. */
  #nodesOfHost = new Set<number>()
  #dealt = 0
  #hosts = 0
  #sharedByUrl = 0
  #sharedByUnshuffle = 0

  constructor(nodes: number) {
    this.#nodes = nodes
    const none = () => new Array<number>(nodes).fill(0)
    this.#byUrl = none()
    this.#phases = none()
    this.#bySite = none()
    this.#unshuffled = none()
  }

  meet({ name, urls }: MadeHost): void {
    this.#endHost()
    this.#hosts++
    this.#phases[charSum(name) % this.#nodes]! += urls
    takeFingerprint(name)
    this.#bySite[fingerprint.low % this.#nodes]! += urls
  }

  add(sum: number): void {
    const node = sum % this.#nodes
    this.#byUrl[node]!++
    if (this.#nodesOfHost.size < 2) this.#nodesOfHost.add(node)
  }

  /** The sorted URLs of a host are neighbours; each goes to the node after that of the one before. */
  deal({ urls }: MadeHost): void {
    if (urls > 1 && this.#nodes > 1) this.#sharedByUnshuffle++
    for (let node = 0; node < this.#nodes; node++) {
      const first = (node - (this.#dealt % this.#nodes) + this.#nodes) % this.#nodes
      if (first < urls) this.#unshuffled[node]! += Math.ceil((urls - first) / this.#nodes)
    }
    this.#dealt += urls
  }

  row(urls: number): BalanceRow {
    this.#endHost()
    const over = (counts: readonly number[]) => (Math.max(...counts) / (urls / this.#nodes) - 1) * 100
    return {
      nodes: this.#nodes,
      urlHash: over(this.#byUrl),
      phases: over(this.#phases),
      siteHash: over(this.#bySite),
      unshuffle: over(this.#unshuffled),
      sharedByUrl: this.#sharedByUrl / this.#hosts,
      sharedByUnshuffle: this.#sharedByUnshuffle / this.#hosts,
    }
  }

  #endHost(): void {
    if (this.#nodesOfHost.size > 1) this.#sharedByUrl++
    this.#nodesOfHost = new Set()
  }
}
