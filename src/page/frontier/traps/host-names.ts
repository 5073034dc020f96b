/**
 * Detects domains that answer to any host name. New hosts of a domain are refused if it has too many hosts,
 * or if nearly all their home pages have the same text. Kept for the whole crawl in bounded memory; forgotten
 * domains are learned again.
 */
import { LIMITS } from '../../../model/index.js'
import { hostOf, registrableDomain, type Site, withoutWww } from '../../../model/url/index.js'
import { addressWords, hashOfWords, pageWords } from './page-words.js'

/** Equal home pages, and their share of all home pages, for which a domain is given up. */
const SAME_HOMES = 10
const SAME_SHARE = 0.8
/** Pages with fewer words outside of links are not judged. */
const ENOUGH_WORDS = 3
const DOMAINS = 20_000
const SITES = 100_000
const CONTENTS = 32

interface Domain {
  hosts: number
  homes: number
  isGivenUp: boolean
  readonly contents: Map<number, number>
}

export class HostNames {
  readonly #domains = new Map<string, Domain>()
  /** The domain of each accepted host; null for domains themselves, which are always accepted. */
  readonly #sites = new Map<Site, Domain | null>()

  /** True if URLs of the site may be crawled, which counts a new host. False if its domain is given up. */
  admits(site: Site): boolean {
    if (this.#sites.has(site)) return true
    const domain = this.#domainOf(site)
    if (domain !== null) {
      if (domain.isGivenUp || domain.hosts >= LIMITS.hostsPerDomain) return false
      domain.hosts++
    }
    if (this.#sites.size >= SITES) this.#sites.clear()
    this.#sites.set(Buffer.from(site).toString(), domain)
    return true
  }

  /** From the ledger: new hosts of this domain were refused before. */
  giveUp(domain: string): void {
    this.#domainNamed(domain).isGivenUp = true
  }

  /** Takes the home page of a site. */
  sawHome(url: string, site: Site, body: Uint8Array): void {
    const domain = this.#sites.get(site) ?? this.#domainOf(site)
    if (domain === null) return
    const words = pageWords(body, false)
    if (words.length < ENOUGH_WORDS) return
    const content = hashOfWords(words, addressWords(url))
    const same = (domain.contents.get(content) ?? 0) + 1
    if (domain.contents.size < CONTENTS || same > 1) domain.contents.set(content, same)
    domain.homes++
    if (same >= SAME_HOMES && same >= domain.homes * SAME_SHARE) domain.isGivenUp = true
  }

  /** Null for a domain itself and its www. */
  #domainOf(site: Site): Domain | null {
    const name = registrableDomain(site)
    return withoutWww(hostOf(site)) === name ? null : this.#domainNamed(name)
  }

  #domainNamed(name: string): Domain {
    let domain = this.#domains.get(name)
    if (domain === undefined) {
      if (this.#domains.size >= DOMAINS) this.#domains.delete(this.#domains.keys().next().value as string)
      domain = { hosts: 0, homes: 0, isGivenUp: false, contents: new Map() }
      this.#domains.set(name, domain)
    }
    return domain
  }
}
