/**
 * The location of a site, guessed from the country code of its name and the block of its address. The guess
 * is wrong for names like `.io` and for CDNs.
 */
import { isIPv4, isIPv6 } from 'node:net'

/** The country code at the end of a site's name, also an internationalised one; null if there is none. */
export function countryOf(site: string): string | null {
  return /\.([a-z]{2}|xn--[a-z0-9-]+)(?::\d+)?$/.exec(site)?.[1] ?? null
}

/** The /16 of an IPv4 address, also of one mapped to IPv6, or the /32 of an IPv6 address; null for others. */
export function blockOf(address: string): string | null {
  const four = address.replace(/^::ffff:(?=[\d.]+$)/i, '')
  if (isIPv4(four)) return four.split('.', 2).join('.')
  if (!isIPv6(address) || address.startsWith('::')) return null
  const [first, second = '0'] = address.split('::')[0].split(':')
  return `${canonical(first)}:${canonical(second)}`
}

/** Writes `0DB8` as `db8`. */
function canonical(group: string): string {
  return Number.parseInt(group, 16).toString(16)
}

interface Measured {
  readonly connectMs: Readonly<Record<string, number>>
}

/** The least time of each agent to any site of a place. */
export class LeastTimes<Site extends Measured> {
  readonly #placeOf: (site: Site) => string | null
  readonly #times = new Map<string, Map<string, number>>()

  constructor(sites: readonly Site[], placeOf: (site: Site) => string | null) {
    this.#placeOf = placeOf
    for (const site of sites) {
      const place = placeOf(site)
      if (place === null) continue
      const times = this.#times.get(place) ?? new Map<string, number>()
      this.#times.set(place, times)
      for (const [name, ms] of Object.entries(site.connectMs))
        times.set(name, Math.min(ms, times.get(name) ?? ms))
    }
  }

  of(site: Site, agent: string): number | undefined {
    return this.#times.get(this.#placeOf(site) ?? '')?.get(agent)
  }
}
