/** `--resolve HOST=ADDR[:PORT]`: addresses given by the user. `*.suffix` means every name below suffix. */
import { isIP } from 'node:net'
import type { Endpoint } from './resolver.js'

export class StaticHosts {
  readonly #exact = new Map<string, Endpoint[]>()
  readonly #below = new Map<string, Endpoint[]>()

  private constructor() {}

  /** The parsed entries, or an error message for the first invalid one. */
  static parse(entries: readonly string[]): StaticHosts | string {
    const hosts = new StaticHosts()
    for (const entry of entries) {
      const equals = entry.indexOf('=')
      const host = entry.slice(0, equals).toLowerCase()
      const endpoint = parseEndpoint(entry.slice(equals + 1))
      const name = host.startsWith('*.') ? host.slice(2) : host
      if (equals < 1 || name === '' || name.includes('*') || endpoint === null) {
        return `"${entry}" is not HOST=ADDR[:PORT]`
      }
      hosts.#add(host === name ? hosts.#exact : hosts.#below, name, endpoint)
    }
    return hosts
  }

  /** The endpoints of the best entry: the name itself, else the longest suffix. */
  find(host: string): readonly Endpoint[] | undefined {
    const exact = this.#exact.get(host)
    if (exact !== undefined || this.#below.size === 0) return exact
    for (let dot = host.indexOf('.'); dot >= 0; dot = host.indexOf('.', dot + 1)) {
      const below = this.#below.get(host.slice(dot + 1))
      if (below !== undefined) return below
    }
    return undefined
  }

  #add(map: Map<string, Endpoint[]>, name: string, endpoint: Endpoint): void {
    const endpoints = map.get(name)
    if (endpoints === undefined) map.set(name, [endpoint])
    else endpoints.push(endpoint)
  }
}

function parseEndpoint(text: string): Endpoint | null {
  if (isIP(text) !== 0) return { address: text, trusted: true }
  const colon = text.lastIndexOf(':')
  const bracketed = text.startsWith('[')
  const hasPort = colon > text.lastIndexOf(']')
  const host = hasPort ? text.slice(0, colon) : text
  const address = bracketed && host.endsWith(']') ? host.slice(1, -1) : host
  if (isIP(address) === 0 || (isIP(address) === 6 && !bracketed)) return null
  if (!hasPort) return { address, trusted: true }
  const port = parsePort(text.slice(colon + 1))
  return port === null ? null : { address, port, trusted: true }
}

function parsePort(text: string): number | null {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0
  return port >= 1 && port <= 65_535 ? port : null
}
