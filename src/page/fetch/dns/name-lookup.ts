/**
 * Asks for the addresses of a name, without cache. c-ares asks the name servers without blocking a thread and
 * tells the TTL; the system's own look-up knows more (search domains, mDNS, split VPNs) but takes one of four
 * threads that files and compression also need. So the system is asked only where name servers have no
 * answer, two names at a time.
 */
import { promises as dns } from 'node:dns'
import { type Clock, type Millis, Semaphore } from '../../../model/index.js'
import type { HostsFile } from './hosts-file.js'

export type Lookup =
  | { readonly ok: true; readonly addresses: readonly string[]; readonly ttlMs: Millis }
  | { readonly ok: false; readonly code: 'DNS_NOT_FOUND' | 'DNS_FAILED'; readonly detail: string }

/** Port: one look-up of one name. Never throws. */
export interface NameLookup {
  lookup(name: string): Promise<Lookup>
}

type Found = { readonly addresses: string[]; readonly ttlMs: Millis }
type Failed = { readonly error: string }

/** When IPv4 has answered, a name server that stays silent about IPv6 is not waited for longer than this. */
const SECOND_FAMILY_MS = 1_000
const SYSTEM_AT_ONCE = 2
/** More names than this waiting for the system: the name servers' answer stands. */
const SYSTEM_WAITING = 32

/** Asks name servers: the ones of the system, or the one the user named with `--dns`. */
export class ServerLookup implements NameLookup {
  readonly #clock: Clock
  readonly #resolver: dns.Resolver

  constructor(clock: Clock, timeoutMs: Millis, servers?: readonly string[]) {
    this.#clock = clock
    // c-ares doubles the time for the second try: a quarter and a half stay below the whole.
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

/** What the machine itself would answer: hosts file, then name servers, then the system's look-up. */
export class SystemLookup implements NameLookup {
  readonly #hosts: HostsFile
  readonly #servers: NameLookup
  readonly #ttlMs: Millis
  readonly #semaphore = new Semaphore(SYSTEM_AT_ONCE)

  /** `ttlMs` is for answers that come without a TTL. */
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
    // Silence and server failure stay what they are: the system would ask the same servers on a thread.
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

/** Names no public name server knows. */
function isLocal(name: string): boolean {
  const bare = name.endsWith('.') ? name.slice(0, -1) : name
  return !bare.includes('.') || bare.endsWith('.local') || bare.endsWith('.localhost')
}

const NOT_FOUND: readonly string[] = ['ENOTFOUND', 'ENODATA', 'EBADNAME', 'ENONAME', 'EBADQUERY']

/** One definite "no such name" is not enough when the other family's question went unanswered. */
function failure(name: string, errors: readonly string[]): Lookup {
  const trouble = errors.find(error => !NOT_FOUND.includes(error))
  const code = trouble === undefined ? 'DNS_NOT_FOUND' : 'DNS_FAILED'
  return { ok: false, code, detail: `${name}: ${trouble ?? errors[0]}` }
}

function codeOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return code ?? message
}
