/**
 * Domains that answer to any name. A domain is given up for new hosts when it has too many, or when nearly
 * all home pages of its hosts say the same. Kept for the whole crawl, in bounded memory; what is forgotten is
 * learned again.
 */
import { LIMITS } from '../../../model/index.js'
import { hostOf, registrableDomain, type Site, withoutWww } from '../../../model/url/index.js'
import { addressWords, hashOfWords, pageWords } from './page-words.js'

/** Home pages that say the same before a domain is given up, and their part of all its home pages. */
const SAME_HOMES = 10
const SAME_SHARE = 0.8
/** Fewer words outside of links say nothing about a page. */
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
  /** The domain of every host that may be crawled; null for domains themselves, which always may. */
  readonly #sites = new Map<Site, Domain | null>()

  /**
   * True when URLs of the site may be sent on their way; a new host is counted. Otherwise the domain given
   * up.
   */
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

  /** The home page of a site was read. */
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
