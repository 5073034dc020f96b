/**
 * The places of servers and crawlers, in 24 countries by their capitals, and round-trip times between them.
 */

export interface Place {
  readonly latitude: number
  readonly longitude: number
}

interface Country extends Place {
  readonly code: string
  /** The number of addresses, of 1,700: 816 at home, 884 abroad (52 %). */
  readonly addresses: number
}

/** The first is the home country; abroad, the numbers fall as 1 / rank. */
export const COUNTRIES: readonly Country[] = [
  { code: 'pt', latitude: 38.7, longitude: -9.1, addresses: 816 },
  { code: 'us', latitude: 38.9, longitude: -77.0, addresses: 237 },
  { code: 'es', latitude: 40.4, longitude: -3.7, addresses: 118 },
  { code: 'de', latitude: 52.5, longitude: 13.4, addresses: 79 },
  { code: 'gb', latitude: 51.5, longitude: -0.1, addresses: 59 },
  { code: 'fr', latitude: 48.9, longitude: 2.4, addresses: 47 },
  { code: 'nl', latitude: 52.4, longitude: 4.9, addresses: 39 },
  { code: 'br', latitude: -15.8, longitude: -47.9, addresses: 34 },
  { code: 'ca', latitude: 45.4, longitude: -75.7, addresses: 30 },
  { code: 'it', latitude: 41.9, longitude: 12.5, addresses: 26 },
  { code: 'be', latitude: 50.8, longitude: 4.4, addresses: 24 },
  { code: 'ch', latitude: 46.9, longitude: 7.4, addresses: 22 },
  { code: 'se', latitude: 59.3, longitude: 18.1, addresses: 20 },
  { code: 'dk', latitude: 55.7, longitude: 12.6, addresses: 18 },
  { code: 'at', latitude: 48.2, longitude: 16.4, addresses: 17 },
  { code: 'ie', latitude: 53.3, longitude: -6.3, addresses: 16 },
  { code: 'no', latitude: 59.9, longitude: 10.8, addresses: 15 },
  { code: 'fi', latitude: 60.2, longitude: 24.9, addresses: 14 },
  { code: 'pl', latitude: 52.2, longitude: 21.0, addresses: 13 },
  { code: 'jp', latitude: 35.7, longitude: 139.7, addresses: 12 },
  { code: 'au', latitude: -35.3, longitude: 149.1, addresses: 12 },
  { code: 'mz', latitude: -25.9, longitude: 32.6, addresses: 11 },
  { code: 'ao', latitude: -8.8, longitude: 13.2, addresses: 11 },
  { code: 'mo', latitude: 22.2, longitude: 113.5, addresses: 10 },
]

const EARTH_KM = 6_371
/** The speed of light in glass; cables are longer than the distance. */
const KM_PER_MS = 200
const DETOUR = 1.5
/** The time in routers and in the machines at both ends. */
const LEAST_MS = 6

/** The round-trip time. */
export function rttMs(a: Place, b: Place, accessMs: number): number {
  return LEAST_MS + accessMs + (2 * DETOUR * kilometres(a, b)) / KM_PER_MS
}

function kilometres(a: Place, b: Place): number {
  const rad = Math.PI / 180
  const dLat = (b.latitude - a.latitude) * rad
  const dLon = (b.longitude - a.longitude) * rad
  const cosines = Math.cos(a.latitude * rad) * Math.cos(b.latitude * rad)
  const h = Math.sin(dLat / 2) ** 2 + cosines * Math.sin(dLon / 2) ** 2
  return 2 * EARTH_KM * Math.asin(Math.min(1, Math.sqrt(h)))
}

/** Each crawler goes to the country with the most addresses per crawler, itself included. */
export function crawlerPlaces(count: number): Country[] {
  const taken = new Map<string, number>()
  return Array.from({ length: count }, () => {
    const quotient = ({ code, addresses }: Country) => addresses / (1 + (taken.get(code) ?? 0))
    const best = COUNTRIES.reduce((first, each) => (quotient(each) > quotient(first) ? each : first))
    taken.set(best.code, 1 + (taken.get(best.code) ?? 0))
    return best
  })
}
