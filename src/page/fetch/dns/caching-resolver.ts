/**
 * Resolves names once per TTL (M16). Keeps all addresses, IPv4 first. Concurrent look-ups of a name share one
 * query. Failures are cached briefly, so that a page with many links to a dead host causes one query.
 */
import { isIP } from 'node:net'
import { type Clock, type FetchLimits, fetchLimits, type Millis, Semaphore } from '../../../model/index.js'
import { HostsFile } from './hosts-file.js'
import { type Lookup, type NameLookup, ServerLookup, SystemLookup } from './name-lookup.js'
import type { Resolution, Resolver } from './resolver.js'
import type { StaticHosts } from './static-hosts.js'

export interface ResolverOptions {
  readonly clock: Clock
  readonly hosts?: StaticHosts
  /** `--dns`: ADDR:PORT of the only name server; by default the system's servers. */
  readonly server?: string
  readonly limits?: Partial<FetchLimits>
}

interface Entry {
  readonly resolution: Resolution
  readonly until: Millis
}

export class CachingResolver implements Resolver {
  readonly #clock: Clock
  readonly #hosts: StaticHosts | undefined
  readonly #lookup: NameLookup
  readonly #limits: FetchLimits
  readonly #cache = new Map<string, Entry>()
  readonly #asking = new Map<string, Promise<Resolution>>()
  readonly #semaphore: Semaphore

  constructor(options: ResolverOptions, lookup?: NameLookup) {
    this.#clock = options.clock
    this.#hosts = options.hosts
    this.#limits = fetchLimits(options.limits)
    this.#lookup = lookup ?? lookupFor(options, this.#limits)
    this.#semaphore = new Semaphore(this.#limits.dnsInFlight)
  }

  async resolve(host: string): Promise<Resolution> {
    const named = this.#hosts?.find(host)
    if (named !== undefined) return { ok: true, endpoints: named }
    const literal = host.startsWith('[') ? host.slice(1, -1) : host
    if (isIP(literal) !== 0) return { ok: true, endpoints: [{ address: literal, trusted: false }] }
    const entry = this.#cache.get(host)
    if (entry !== undefined && entry.until > this.#clock.monotonic()) return entry.resolution
    return this.#asking.get(host) ?? this.#ask(host)
  }

  invalidate(host: string): void {
    const entry = this.#cache.get(host)
    const until = this.#clock.monotonic() + this.#limits.dnsNegativeMs
    if (entry !== undefined && entry.until > until) this.#cache.set(host, { ...entry, until })
  }

  #ask(host: string): Promise<Resolution> {
    const asking = this.#semaphore
      .run(() => this.#withinDeadline(host))
      .then(lookup => {
        this.#asking.delete(host)
        return this.#remember(host, lookup)
      })
    this.#asking.set(host, asking)
    return asking
  }

  #withinDeadline(host: string): Promise<Lookup> {
    return new Promise(resolve => {
      const cancel = this.#clock.after(this.#limits.dnsMs, () =>
        resolve({ ok: false, code: 'DNS_FAILED', detail: `${host}: no answer in time` }),
      )
      void this.#lookup.lookup(host).then(lookup => {
        cancel()
        resolve(lookup)
      })
    })
  }

  #remember(host: string, lookup: Lookup): Resolution {
    const { dnsTtlMinMs, dnsTtlMaxMs, dnsNegativeMs, dnsAnswers, dnsCacheEntries } = this.#limits
    let keptMs = dnsNegativeMs
    let resolution: Resolution
    if (lookup.ok) {
      keptMs = Math.min(Math.max(lookup.ttlMs, dnsTtlMinMs), dnsTtlMaxMs)
      const addresses = lookup.addresses.slice(0, dnsAnswers)
      resolution = { ok: true, endpoints: addresses.map(address => ({ address, trusted: false })) }
    } else resolution = lookup
    this.#cache.delete(host)
    this.#cache.set(host, { resolution, until: this.#clock.monotonic() + keptMs })
    if (this.#cache.size > dnsCacheEntries) this.#cache.delete(this.#cache.keys().next().value as string)
    return resolution
  }
}

function lookupFor(options: ResolverOptions, limits: FetchLimits): NameLookup {
  if (options.server !== undefined) return new ServerLookup(options.clock, limits.dnsMs, [options.server])
  const servers = new ServerLookup(options.clock, limits.dnsMs)
  return new SystemLookup(new HostsFile(), servers, limits.dnsTtlMinMs)
}
