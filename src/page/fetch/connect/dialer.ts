/**
 * Opens connections: resolves the host, guards every address, tries one after the other until the time is up.
 * The address is judged before connecting and once more on the connected socket, so nothing in between can
 * swap it (P10).
 */
import { isIP } from 'node:net'
import type { Clock, FetchLimits, Millis, StopSignal } from '../../../model/index.js'
import type { Endpoint, Resolver } from '../dns/index.js'
import type { AddressGuard } from './address-guard.js'
import { type ConnectFailure, forbiddenAddress, forbiddenPort } from './connect-failure.js'
import type { Connection } from './connection.js'
import { isForbiddenPort } from './forbidden-ports.js'
import { SocketOpener } from './socket-opener.js'

export interface DialTarget {
  /** As it stands in the URL. */
  readonly host: string
  readonly port: number
  readonly secure: boolean
  /** Only this address of the host. */
  readonly address: string | undefined
}

export type Dialed = { readonly ok: true; readonly connection: Connection } | ConnectFailure

export interface DialerOptions {
  readonly clock: Clock
  readonly limits: FetchLimits
  readonly resolver: Resolver
  readonly guard: AddressGuard
  /** Lets requests go to any port, whatever listens there. */
  readonly allowPrivate?: boolean
  readonly localAddress?: string
  readonly ca?: string
}

/** However many addresses there are, each attempt gets at least this share of the time. */
const LEAST_SHARE = 1 / 4

export class Dialer {
  readonly #clock: Clock
  readonly #connectMs: Millis
  readonly #resolver: Resolver
  readonly #guard: AddressGuard
  readonly #anyPort: boolean
  readonly #localFamily: number
  readonly #sockets: SocketOpener

  constructor(options: DialerOptions) {
    this.#clock = options.clock
    this.#connectMs = options.limits.connectMs
    this.#resolver = options.resolver
    this.#guard = options.guard
    this.#anyPort = options.allowPrivate ?? false
    this.#localFamily = options.localAddress === undefined ? 0 : isIP(options.localAddress)
    this.#sockets = new SocketOpener(options)
  }

  /** The endpoints of `host` that may be connected to. */
  async endpoints(host: string): Promise<{ ok: true; endpoints: readonly Endpoint[] } | ConnectFailure> {
    const resolution = await this.#resolver.resolve(host)
    return resolution.ok ? this.#allowed(host, resolution.endpoints) : resolution
  }

  /** `signal` must be the dial's own: it keeps its listeners. */
  async dial(target: DialTarget, signal: StopSignal): Promise<Dialed> {
    const found = await Promise.race([this.endpoints(target.host), aborted(target.host, signal)])
    if (!found.ok) return found
    const pinned = this.#pin(target, found.endpoints)
    if ('code' in pinned) return pinned
    const isTheUsers = this.#anyPort || pinned.some(endpoint => endpoint.trusted)
    if (!isTheUsers && isForbiddenPort(target.port)) return forbiddenPort(target.host, target.port)
    const until = this.#clock.monotonic() + this.#connectMs
    let failure: ConnectFailure = {
      ok: false,
      code: 'CONNECT_FAILED',
      detail: `${target.host}: no address to connect to from here`,
    }
    for (const [i, endpoint] of pinned.entries()) {
      const leftMs = until - this.#clock.monotonic()
      if (leftMs <= 0 || signal.aborted) break
      const shareMs = Math.min(leftMs, Math.max(leftMs / (pinned.length - i), this.#connectMs * LEAST_SHARE))
      const dialed = await this.#sockets.open(target, endpoint, shareMs, signal)
      if (dialed.ok) return dialed
      // The first failure tells most: later addresses are often IPv6 on a machine without it.
      if (i === 0) failure = dialed
      if (dialed.code === 'TLS_FAILED') return dialed
    }
    // Nobody there any more: the name may have moved.
    this.#resolver.invalidate?.(target.host)
    return failure
  }

  #allowed(
    host: string,
    endpoints: readonly Endpoint[],
  ): { ok: true; endpoints: Endpoint[] } | ConnectFailure {
    const allowed: Endpoint[] = []
    let refusal: ConnectFailure | null = null
    for (const endpoint of endpoints) {
      const reason = endpoint.trusted ? null : this.#guard(endpoint.address)
      if (reason === null) allowed.push(endpoint)
      else refusal ??= forbiddenAddress(host, endpoint.address, reason)
    }
    return allowed.length === 0 && refusal !== null ? refusal : { ok: true, endpoints: allowed }
  }

  /** The endpoints this dial may use: of the asked address, of the family we call from. */
  #pin(target: DialTarget, endpoints: readonly Endpoint[]): readonly Endpoint[] | ConnectFailure {
    let usable = endpoints
    if (target.address !== undefined) {
      const { address } = target
      usable = endpoints.filter(endpoint => endpoint.address === address)
      if (usable.length === 0) {
        // The name has moved on since the caller asked; the address is judged as any other.
        const guarded = this.#allowed(target.host, [{ address, trusted: false }])
        if (!guarded.ok) return guarded
        usable = guarded.endpoints
      }
    }
    if (this.#localFamily === 0) return usable
    return usable.filter(endpoint => isIP(endpoint.address) === this.#localFamily)
  }
}

function aborted(host: string, signal: StopSignal): Promise<ConnectFailure> {
  const failure: ConnectFailure = { ok: false, code: 'RESET', detail: `${host}: given up` }
  return new Promise(resolve => signal.addEventListener('abort', () => resolve(failure), { once: true }))
}
