/**
 * Where a site is, as far as that can be told without a table of the world: by the country code of its name
 * and by the block its address is in. Both are guesses: `.io` is no island and a CDN is everywhere.
 */
import { isIPv4, isIPv6 } from 'node:net'

/** The country code that its name ends with, IDN ones included; null where there is none. */
export function countryOf(site: string): string | null {
  return /\.([a-z]{2}|xn--[a-z0-9-]+)(?::\d+)?$/.exec(site)?.[1] ?? null
}

/**
 * /16 of IPv4, also where it is mapped to IPv6; /32 of IPv6; null for what is neither, and for `::1` and its
 * like.
 */
export function blockOf(address: string): string | null {
  const four = address.replace(/^::ffff:(?=[\d.]+$)/i, '')
  if (isIPv4(four)) return four.split('.', 2).join('.')
  if (!isIPv6(address) || address.startsWith('::')) return null
  const [first, second = '0'] = address.split('::')[0].split(':')
  return `${canonical(first)}:${canonical(second)}`
}

/** `0DB8` and `db8` are one. */
function canonical(group: string): string {
  return Number.parseInt(group, 16).toString(16)
}

interface Measured {
  readonly connectMs: Readonly<Record<string, number>>
}

/** The least time of each agent to any of the sites of one place. */
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
