/** A national web with the numbers of the SIRE paper (S15): URLs, hosts, addresses, countries and links. */

import { type Random, SeededRandom } from '../../src/model/index.js'
import type { LearnedWeb } from '../../src/plan/assign/learned/index.js'
import { dealt, sortedSizes } from '../hypergraph/index.js'
import { COUNTRIES, crawlerPlaces, type Place, rttMs } from './places.js'

export const URLS = 1_903_336
export const HOSTS = 26_472
export const ADDRESSES = 1_700
export const MOST_CRAWLERS = 30

/** Power laws for the pages of hosts and the hosts of addresses. */
const PAGE_LAW = { exponent: 1, shift: 4 }
const HOST_LAW = { exponent: 0.9, shift: 10 }
/**
 * This many largest hosts are spread evenly over the addresses, because they share machines with few others.
 */
const OWN_MACHINES = 1_000
/** The number of links to other hosts per page. */
const LINKS_PER_PAGE = 2
/** A host links to 1 + scale * (u ^ (-1 / exponent) - 1) hosts. */
const DEGREE = { scale: 5, exponent: 1.5, most: 2_000 }
/**
 * Shares of these hosts: those at the same address (portals, customers of one provider), and popular ones.
 */
const SAME_ADDRESS = 0.6
const POPULAR = 0.15
/** The other hosts are at most this many addresses away. */
const NEAR_ADDRESSES = 12
const CITY_DEGREES = 2
const ACCESS_MS = 12

export interface NationalWeb {
  readonly learned: LearnedWeb
  /** The address of each host. */
  readonly addressOf: Uint32Array
  /** Seconds from each host to each crawler: rtt[host * MOST_CRAWLERS + crawler]. */
  readonly rttSeconds: Float64Array
  /** Seconds between crawlers. */
  readonly crawlerRttSeconds: (a: number, b: number) => number
}

export function crawlerName(crawler: number): string {
  return `crawler-${String(crawler + 1).padStart(2, '0')}`
}

export function nationalWeb(seed: number): NationalWeb {
  const random = new SeededRandom(seed)
  const pages = dealt(sortedSizes(HOSTS, URLS, PAGE_LAW), seed)
  const addressOf = addressesOf(pages, random)
  const crawlers = crawlerPlaces(MOST_CRAWLERS)
  const rtt = addressRtts(crawlers, random)
  const rttSeconds = new Float64Array(HOSTS * MOST_CRAWLERS)
  for (let host = 0; host < HOSTS; host++)
    for (let c = 0; c < MOST_CRAWLERS; c++)
      rttSeconds[host * MOST_CRAWLERS + c] = rtt[addressOf[host] * MOST_CRAWLERS + c]
  const sites = Array.from(pages, (count, host) => ({
    site: `host-${host}.pt`,
    pages: count,
    bytes: 0,
    fetchMs: 0,
    checked: 0,
    changed: 0,
    addresses: [written(addressOf[host])],
    connectMs: Object.fromEntries(
      crawlers.map((_, c) => [crawlerName(c), 1_000 * rttSeconds[host * MOST_CRAWLERS + c]]),
    ),
  }))
  const crawlerRttSeconds = (a: number, b: number) => rttMs(crawlers[a], crawlers[b], ACCESS_MS) / 1_000
  return {
    learned: { sites, ...linksOf(pages, addressOf, random) },
    addressOf,
    rttSeconds,
    crawlerRttSeconds,
  }
}

/** Writes the address with this number; neighbours share a block. */
function written(address: number): string {
  return `10.${address >> 6}.0.${1 + (address & 63)}`
}

/** The numbers of hosts follow the law exactly; the largest hosts are spread over all addresses. */
function addressesOf(pages: Uint32Array, random: Random): Uint32Array {
  const room = dealt(sortedSizes(ADDRESSES, HOSTS, HOST_LAW), Math.floor(random.next() * 2 ** 31))
  const bySize = Uint32Array.from(pages.keys()).sort((a, b) => pages[b] - pages[a])
  const addressOf = new Uint32Array(HOSTS)
  const open = Array.from(room.keys())
  for (const [rank, host] of bySize.entries()) {
    // The largest hosts go to any address alike; the others mostly to addresses with much room.
    const at = rank < OWN_MACHINES ? Math.floor(random.next() * open.length) : weighted(open, room, random)
    addressOf[host] = open[at]
    if (--room[open[at]] > 0) continue
    open[at] = open[open.length - 1]
    open.pop()
  }
  return addressOf
}

/** Draws an address with a chance in proportion to its room (rejection sampling). */
function weighted(open: readonly number[], room: Uint32Array, random: Random): number {
  let most = 1
  for (const address of open) if (room[address] > most) most = room[address]
  for (;;) {
    const at = Math.floor(random.next() * open.length)
    if (random.next() * most < room[open[at]]) return at
  }
}

function addressRtts(crawlers: readonly Place[], random: Random): Float64Array {
  const rtt = new Float64Array(ADDRESSES * MOST_CRAWLERS)
  const countries = COUNTRIES.flatMap(country => new Array<Place>(country.addresses).fill(country))
  for (let address = 0; address < ADDRESSES; address++) {
    const near = (degrees: number) => degrees + CITY_DEGREES * (2 * random.next() - 1)
    const { latitude, longitude } = countries[address]
    const place = { latitude: near(latitude), longitude: near(longitude) }
    const access = -ACCESS_MS * Math.log(1 - random.next())
    for (const [c, crawler] of crawlers.entries())
      rtt[address * MOST_CRAWLERS + c] = rttMs(place, crawler, access) / 1_000
  }
  return rtt
}

type Links = Pick<LearnedWeb, 'netOffsets' | 'pins' | 'counts'>

function linksOf(pages: Uint32Array, addressOf: Uint32Array, random: Random): Links {
  const hostsOf = Array.from({ length: ADDRESSES }, (): number[] => [])
  for (let host = 0; host < HOSTS; host++) hostsOf[addressOf[host]].push(host)
  const famous = Uint32Array.from({ length: HOSTS }, (_, host) => host).sort((a, b) => pages[b] - pages[a])
  const pins: number[] = []
  const counts: number[] = []
  for (let host = 0; host < HOSTS; host++) {
    const drawn = Math.floor(DEGREE.scale * ((1 - random.next()) ** (-1 / DEGREE.exponent) - 1))
    const targets = new Map<number, number>()
    const degree = Math.min(DEGREE.most, 1 + drawn)
    // A target that is drawn twice gets twice the links.
    for (let i = 0; i < degree; i++) {
      const target = targetOf(host, addressOf[host], hostsOf, famous, random)
      if (target !== host) targets.set(target, (targets.get(target) ?? 0) + 1)
    }
    const drawnInAll = [...targets.values()].reduce((sum, times) => sum + times, 0)
    for (const [target, times] of targets) {
      pins.push(host, target)
      counts.push(Math.max(1, Math.round((times / drawnInAll) * LINKS_PER_PAGE * pages[host])))
    }
  }
  const netOffsets = Uint32Array.from({ length: counts.length + 1 }, (_, net) => 2 * net)
  return { netOffsets, pins: Uint32Array.from(pins), counts: Float64Array.from(counts) }
}

function targetOf(
  host: number,
  address: number,
  hostsOf: readonly (readonly number[])[],
  famous: Uint32Array,
  random: Random,
): number {
  const kind = random.next()
  // The cube prefers the first, which have most pages.
  if (kind < POPULAR) return famous[Math.floor(HOSTS * random.next() ** 3)]
  const own = hostsOf[address]
  if (kind < POPULAR + SAME_ADDRESS && own.length > 1) return own[Math.floor(random.next() * own.length)]
  const steps = 1 + Math.floor(random.next() * NEAR_ADDRESSES)
  const side = random.next() < 0.5 ? ADDRESSES - steps : steps
  const near = hostsOf[(address + side) % ADDRESSES]
  return near.length === 0 ? host : near[Math.floor(random.next() * near.length)]
}
