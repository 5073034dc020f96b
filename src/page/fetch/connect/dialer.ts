/**
 * Opens connections: resolves the host, checks every address, and tries them in turn within the time limit.
 * The connected socket's address is checked again, so that it cannot change in between (P10).
 */
import { isIP } from 'node:net'
import type { Clock, Millis, StopSignal } from '../../../model/index.js'
import type { Endpoint, Resolver } from '../dns/index.js'
import type { AddressGuard } from './address-guard.js'
import { type ConnectFailure, forbiddenAddress, forbiddenPort } from './connect-failure.js'
import { isForbiddenPort } from './forbidden-ports.js'
import { type Opened, type OpenerOptions, type OpenTarget, SocketOpener } from './socket-opener.js'

interface DialTarget extends OpenTarget {
  /** Only this address of the host. */
  readonly address: string | undefined
}

interface DialerOptions extends OpenerOptions {
  readonly resolver: Resolver
  /** Allows all ports, whatever service listens there. */
  readonly allowPrivate?: boolean
}

/** Each attempt gets at least this share of the time, however many addresses there are. */
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

  /** The addresses of `host` that are allowed. */
  async endpoints(host: string): Promise<{ ok: true; endpoints: readonly Endpoint[] } | ConnectFailure> {
    const resolution = await this.#resolver.resolve(host)
    return resolution.ok ? this.#allowed(host, resolution.endpoints) : resolution
  }

  /** `signal` must belong to this dial alone, because its listeners are not removed. */
  async dial(target: DialTarget, signal: StopSignal): Promise<Opened> {
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
      // The first failure is the most informative: later addresses are often IPv6, which the machine may
      // lack.
      if (i === 0) failure = dialed
      if (dialed.code === 'TLS_FAILED') return dialed
    }
    // The addresses may be out of date.
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

  /** The endpoints with the requested address, if any, and of the local address's family. */
  #pin(target: DialTarget, endpoints: readonly Endpoint[]): readonly Endpoint[] | ConnectFailure {
    let usable = endpoints
    if (target.address !== undefined) {
      const { address } = target
      usable = endpoints.filter(endpoint => endpoint.address === address)
      if (usable.length === 0) {
        // The name has other addresses now; the requested one is checked like any other.
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
