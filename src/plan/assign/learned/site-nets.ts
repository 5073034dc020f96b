/**
 * Nets of sites instead of pages (H3): one for each site with links to other sites. A cut net is then a
 * message from a site to a part, whatever the number of its pages, so that coalesced messages are minimised.
 */
import type { NetKind } from '../../../config/index.js'
import type { LearnedWeb } from './learned-web.js'

/** The web with nets of this kind; the net of a site has count 1. */
export function netsBy(kind: NetKind, learned: LearnedWeb): LearnedWeb {
  return kind === 'page' ? learned : siteNets(learned)
}

function siteNets({ sites, netOffsets, pins, counts, ...rest }: LearnedWeb): LearnedWeb {
  const netsOf = netsBySource(sites.length, netOffsets, pins)
  const joined = new Uint32Array(pins.length)
  const offsets = [0]
  /** For each site, the last source (from 1) that has it among its pins. */
  const pinnedBy = new Uint32Array(sites.length)
  let used = 0
  for (let source = 0; source < sites.length; source++) {
    const first = used
    for (const net of netsOf(source)) {
      for (let at = netOffsets[net]; at < netOffsets[net + 1]; at++) {
        if (pinnedBy[pins[at]] === source + 1) continue
        pinnedBy[pins[at]] = source + 1
        joined[used++] = pins[at]
      }
    }
    if (used > first) offsets.push(used)
  }
  return {
    ...rest,
    sites,
    netOffsets: Uint32Array.from(offsets),
    pins: joined.slice(0, used),
    counts: new Float64Array(offsets.length - 1).fill(1),
  }
}

/** The source of a net is its first pin, so it is also the first pin of the joined net. */
function netsBySource(
  sites: number,
  netOffsets: Uint32Array,
  pins: Uint32Array,
): (source: number) => Uint32Array {
  const nets = netOffsets.length - 1
  const starts = new Uint32Array(sites + 1)
  for (let net = 0; net < nets; net++) starts[pins[netOffsets[net]] + 1]++
  for (let site = 0; site < sites; site++) starts[site + 1] += starts[site]
  const sorted = new Uint32Array(nets)
  const fill = starts.slice()
  for (let net = 0; net < nets; net++) sorted[fill[pins[netOffsets[net]]]++] = net
  return source => sorted.subarray(starts[source], starts[source + 1])
}
