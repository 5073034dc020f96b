/** The sources of a crawl by URL prefix: the longest one counts. */
import { readSource, type Source } from '../../config/index.js'
import { hostOf, originOf, pathStart, siteOf } from '../../model/url/index.js'

export class SourceTable {
  /** For each origin, the longest prefix first. */
  readonly #byOrigin = new Map<string, Source[]>()
  /** The source of all other URLs. */
  #rest: Source | null = null
  /** Hosts of origins that have a source for all their URLs. */
  readonly #hosts = new Set<string>()

  /** Throws on a text that is no source: the configuration has checked them. */
  constructor(texts: readonly string[]) {
    for (const text of texts) {
      const source = readSource(text)
      if (typeof source === 'string') throw new Error(source)
      if (source.prefix === '') this.#rest = source
      else this.#add(source)
    }
  }

  get isEmpty(): boolean {
    return this.#rest === null && this.#byOrigin.size === 0
  }

  /** The source of a normalised URL; null if it comes from its server. */
  find(url: string): Source | null {
    const sources = this.#byOrigin.size === 0 ? undefined : this.#byOrigin.get(originOf(url))
    if (sources !== undefined) for (const source of sources) if (url.startsWith(source.prefix)) return source
    return this.#rest
  }

  /** True if no server is asked for the URL. */
  isLocal(url: string): boolean {
    const source = this.find(url)
    return source !== null && source.kind !== 'origin'
  }

  /** True if the addresses of a host do not matter: some origin of it comes from a source altogether. */
  coversHost(host: string): boolean {
    return this.#rest !== null || this.#hosts.has(host)
  }

  #add(source: Source): void {
    const origin = originOf(source.prefix)
    if (pathStart(source.prefix) === source.prefix.length - 1) this.#hosts.add(hostOf(siteOf(source.prefix)))
    const before = (this.#byOrigin.get(origin) ?? []).filter(({ prefix }) => prefix !== source.prefix)
    const sources = [...before, source].sort((a, b) => b.prefix.length - a.prefix.length)
    this.#byOrigin.set(origin, sources)
  }
}
