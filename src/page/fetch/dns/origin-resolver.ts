/** Resolves every host to the addresses of one origin, which the user has named and which is trusted. */
import { hostOf, siteOf } from '../../../model/url/index.js'
import type { Resolution, Resolver } from './resolver.js'

export class OriginResolver implements Resolver {
  readonly #host: string
  readonly #port: number
  readonly #resolver: Resolver

  /** `origin`: `http://host:port`. */
  constructor(origin: string, resolver: Resolver) {
    const site = siteOf(`${origin}/`)
    const port = site.slice(hostOf(site).length + 1)
    this.#host = hostOf(site)
    this.#port = port === '' ? (origin.startsWith('https:') ? 443 : 80) : Number(port)
    this.#resolver = resolver
  }

  async resolve(): Promise<Resolution> {
    const found = await this.#resolver.resolve(this.#host)
    if (!found.ok) return found
    const endpoints = found.endpoints.map(({ address, port = this.#port }) => ({
      address,
      port,
      trusted: true,
    }))
    return { ok: true, endpoints }
  }

  invalidate(): void {
    this.#resolver.invalidate?.(this.#host)
  }
}
