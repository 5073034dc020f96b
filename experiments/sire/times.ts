/** The three times of the SIRE paper for the slowest crawler, with the paper's constants. */
import { HOSTS, MOST_CRAWLERS, type NationalWeb } from './national-web.js'

/** The paper's constants (S13). */
const CONSTANTS = {
  pipelined: 10,
  bandwidthBitsPerSecond: 16_000,
  pageBytes: 10_000,
  politenessSeconds: 15,
  urlBytes: 40,
} as const
const CONNECTIONS = 10

/** Download time of the slowest crawler, in seconds (S10). */
export function downloadTime(web: NationalWeb, k: number, parts: Int32Array): number {
  const seconds = new Float64Array(k)
  for (let host = 0; host < HOSTS; host++) seconds[parts[host]] += hostSeconds(web, host, parts[host])
  return Math.max(...seconds)
}

/** The time that a host adds to a crawler whose connections are all busy. */
export function hostSeconds({ learned, rttSeconds }: NationalWeb, host: number, crawler: number): number {
  const { pipelined, bandwidthBitsPerSecond, pageBytes, politenessSeconds } = CONSTANTS
  const transfer = (pipelined * pageBytes * 8) / bandwidthBitsPerSecond
  const rtt = rttSeconds[host * MOST_CRAWLERS + crawler]
  const turns = learned.sites[host].pages / pipelined
  return (turns * (2 * rtt + transfer + politenessSeconds)) / CONNECTIONS
}

/** Exchange time of the slowest crawler, in seconds (S11). */
export function exchangeTime(web: NationalWeb, k: number, parts: Int32Array): number {
  const { netOffsets, pins, counts } = web.learned
  const links = new Float64Array(k * k)
  for (let net = 0; net < counts.length; net++) {
    const from = parts[pins[netOffsets[net]]]
    for (let at = netOffsets[net] + 1; at < netOffsets[net + 1]; at++)
      links[from * k + parts[pins[at]]] += counts[net]
  }
  return slowest(web, k, links)
}

/** Relocation time when a crawler is added: that of the URLs that change their crawler (S12). */
export function relocationTime(web: NationalWeb, k: number, before: Int32Array, after: Int32Array): number {
  const urls = new Float64Array(k * k)
  for (let host = 0; host < HOSTS; host++)
    urls[before[host] * k + after[host]] += web.learned.sites[host].pages
  return slowest(web, k, urls)
}

/**
 * `sent[j * k + l]` URLs go from crawler j to l. A crawler without URLs for another does not connect to it.
 */
function slowest({ crawlerRttSeconds }: NationalWeb, k: number, sent: Float64Array): number {
  const { urlBytes, bandwidthBitsPerSecond } = CONSTANTS
  let most = 0
  for (let j = 0; j < k; j++) {
    let seconds = 0
    for (let l = 0; l < k; l++) {
      const urls = sent[j * k + l]
      if (l !== j && urls > 0)
        seconds += 2 * crawlerRttSeconds(j, l) + (urlBytes * 8 * urls) / bandwidthBitsPerSecond
    }
    most = Math.max(most, seconds / CONNECTIONS)
  }
  return most
}
