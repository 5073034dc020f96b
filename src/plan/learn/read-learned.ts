/** Reads `learned/` into the arrays of a `LearnedWeb`. */
import { join } from 'node:path'
import { LIMITS } from '../../model/index.js'
import type { LearnedSite, LearnedWeb } from '../assign/learned/index.js'
import { FOLDER, type LearnedTrouble, learnedIn, linesOf } from './learned-folder.js'
import { noteHost, type StoredSite, unknownSite } from './stored-site.js'

/**
 * Notes of a running crawl: lines of nets and hosts that are in no file yet, and sites without requests yet.
 */
interface LiveNotes {
  readonly sites: Iterable<string>
  readonly nets: Iterable<string>
  readonly hosts: Iterable<string>
}

const NO_NOTES: LiveNotes = { sites: [], nets: [], hosts: [] }

/** What the crawl in `directory`, begun at `crawl`, has learned, or the reason why that cannot be used. */
export async function readLearned(
  directory: string,
  crawl: string,
  live: LiveNotes = NO_NOTES,
): Promise<LearnedWeb | LearnedTrouble> {
  const manifest = learnedIn(directory, crawl)
  if ('trouble' in manifest) return manifest
  const sites: StoredSite[] = []
  const nets = new NetReader()
  try {
    for (const { name, holds } of manifest.files) {
      if (holds !== 'sites') continue
      for await (const line of linesOf(join(directory, FOLDER, name)))
        sites.push(JSON.parse(line) as LearnedSite)
    }
    const bySite = new Map(sites.map(site => [site.site, site]))
    for (const site of live.sites) if (!bySite.has(site)) sites.push(unknownSite(site))
    nets.know(sites)
    for (const line of live.hosts) noteHost(line, site => bySite.get(site))
    for (const { name, holds } of manifest.files) {
      if (holds !== 'nets') continue
      for await (const line of linesOf(join(directory, FOLDER, name))) nets.add(line)
    }
    for (const line of live.nets) nets.add(line)
  } catch (error) {
    return { trouble: `${join(directory, FOLDER)} cannot be read: ${(error as Error).message}` }
  }
  return { sites, agents: manifest.agents ?? [], ...nets.arrays() }
}

/** Collects nets among known sites; sites that were linked to and never crawled are left out. */
class NetReader {
  #numbers: ReadonlyMap<string, number> = new Map()
  #pins = new Uint32Array(1_024)
  #used = 0
  readonly #offsets: number[] = [0]
  readonly #counts: number[] = []

  know(sites: readonly LearnedSite[]): void {
    this.#numbers = new Map(sites.map(({ site }, i) => [site, i]))
  }

  add(line: string): void {
    const tab = line.indexOf('\t')
    const numbers = line
      .slice(tab + 1)
      .split(' ')
      .map(site => this.#numbers.get(site) ?? -1)
    // The first is the page's own site: a net without its source is dropped.
    if (numbers[0] < 0 || this.#used + numbers.length > LIMITS.learnedPins) return
    const start = this.#used
    for (const number of numbers) if (number >= 0) this.#push(number)
    if (this.#used - start < 2) {
      this.#used = start
      return
    }
    this.#offsets.push(this.#used)
    this.#counts.push(Number(line.slice(0, tab)))
  }

  arrays(): Omit<LearnedWeb, 'sites'> {
    return {
      netOffsets: Uint32Array.from(this.#offsets),
      pins: this.#pins.slice(0, this.#used),
      counts: Float64Array.from(this.#counts),
    }
  }

  #push(number: number): void {
    if (this.#used === this.#pins.length) {
      const larger = new Uint32Array(2 * this.#pins.length)
      larger.set(this.#pins)
      this.#pins = larger
    }
    this.#pins[this.#used++] = number
  }
}
