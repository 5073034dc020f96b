/**
 * Looks up addresses without a cache. c-ares queries name servers without blocking a thread and returns the
 * TTL. The system's look-up also covers search domains, mDNS and split VPNs, but occupies one of four threads
 * that files and compression need too. So the system is only asked if name servers have no answer, for two
 * names at a time.
 */

import { promises as dns } from 'node:dns'
import { type Clock, type Millis, Semaphore } from '../../../model/index.js'
import { SECOND_FAMILY_MS } from '../../limits.js'
import type { HostsFile } from './hosts-file.js'

export type Lookup =
  | { readonly ok: true; readonly addresses: readonly string[]; readonly ttlMs: Millis }
  | { readonly ok: false; readonly code: 'DNS_NOT_FOUND' | 'DNS_FAILED'; readonly detail: string }

/** Port: looks up one name; never throws. */
export interface NameLookup {
  lookup(name: string): Promise<Lookup>
}

type Found = { readonly addresses: string[]; readonly ttlMs: Millis }
type Failed = { readonly error: string }

const SYSTEM_AT_ONCE = 2
/** If more names wait for the system, the name servers' answer is final. */
const SYSTEM_WAITING = 32

/** Queries the system's name servers, or those given with `--dns`. */
export class ServerLookup implements NameLookup {
  readonly #clock: Clock
  readonly #resolver: dns.Resolver

  constructor(clock: Clock, timeoutMs: Millis, servers?: readonly string[]) {
    this.#clock = clock
    // c-ares doubles the timeout for the second try; a quarter plus a half is less than the whole.
    this.#resolver = new dns.Resolver({ timeout: Math.ceil(timeoutMs / 4), tries: 2 })
    if (servers !== undefined) this.#resolver.setServers(servers)
  }

  async lookup(name: string): Promise<Lookup> {
    const ipv6 = this.#ask(name, 6)
    const ipv4 = await this.#ask(name, 4)
    const second = 'error' in ipv4 ? await ipv6 : await this.#within(SECOND_FAMILY_MS, ipv6)
    const answers = [ipv4, second].filter(answer => 'addresses' in answer)
    if (answers.length > 0) {
      const ttlMs = Math.min(...answers.map(answer => answer.ttlMs))
      return { ok: true, addresses: answers.flatMap(answer => answer.addresses), ttlMs }
    }
    return failure(
      name,
      [ipv4, second].flatMap(answer => ('error' in answer ? [answer.error] : [])),
    )
  }

  async #ask(name: string, family: 4 | 6): Promise<Found | Failed> {
    try {
      const records = await (family === 4
        ? this.#resolver.resolve4(name, { ttl: true })
        : this.#resolver.resolve6(name, { ttl: true }))
      if (records.length === 0) return { error: 'ENODATA' }
      const ttlMs = Math.min(...records.map(record => record.ttl)) * 1000
      return { addresses: records.map(record => record.address), ttlMs }
    } catch (error) {
      return { error: codeOf(error) }
    }
  }

  #within(delayMs: Millis, answer: Promise<Found | Failed>): Promise<Found | Failed> {
    return new Promise(resolve => {
      const cancel = this.#clock.after(delayMs, () => resolve({ error: 'ETIMEOUT' }))
      void answer.then(found => {
        cancel()
        resolve(found)
      })
    })
  }
}

/** Resolves like the machine: hosts file, then name servers, then the system's look-up. */
export class SystemLookup implements NameLookup {
  readonly #hosts: HostsFile
  readonly #servers: NameLookup
  readonly #ttlMs: Millis
  readonly #semaphore = new Semaphore(SYSTEM_AT_ONCE)

  /** `ttlMs` applies to answers without a TTL. */
  constructor(hosts: HostsFile, servers: NameLookup, ttlMs: Millis) {
    this.#hosts = hosts
    this.#servers = servers
    this.#ttlMs = ttlMs
  }

  async lookup(name: string): Promise<Lookup> {
    const addresses = await this.#hosts.find(name)
    if (addresses !== undefined) return { ok: true, addresses, ttlMs: this.#ttlMs }
    if (isLocal(name)) return this.#askSystem(name)
    const answer = await this.#servers.lookup(name)
    // After a timeout or server failure the system would only query the same servers on a thread.
    const worthAsking =
      !answer.ok && (answer.code === 'DNS_NOT_FOUND' || answer.detail.endsWith('ECONNREFUSED'))
    return worthAsking && this.#semaphore.waiting < SYSTEM_WAITING ? this.#askSystem(name) : answer
  }

  #askSystem(name: string): Promise<Lookup> {
    return this.#semaphore.run(async () => {
      try {
        const found = await dns.lookup(name, { all: true })
        return { ok: true, addresses: found.map(({ address }) => address), ttlMs: this.#ttlMs }
      } catch (error) {
        return failure(name, [codeOf(error)])
      }
    })
  }
}

/** Names that no public name server knows. */
function isLocal(name: string): boolean {
  const bare = name.endsWith('.') ? name.slice(0, -1) : name
  return !bare.includes('.') || bare.endsWith('.local') || bare.endsWith('.localhost')
}

const NOT_FOUND: readonly string[] = ['ENOTFOUND', 'ENODATA', 'EBADNAME', 'ENONAME', 'EBADQUERY']

/** "No such name" for one family is not enough if the other query failed. */
function failure(name: string, errors: readonly string[]): Lookup {
  const trouble = errors.find(error => !NOT_FOUND.includes(error))
  const code = trouble === undefined ? 'DNS_NOT_FOUND' : 'DNS_FAILED'
  return { ok: false, code, detail: `${name}: ${trouble ?? errors[0]}` }
}

function codeOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return code ?? message
}
