/** Which bundles a host accepts, and the tours that are under way. */
import { join } from 'node:path'
import { type Clock, type Random, Semaphore } from '../../model/index.js'
import type { Fetcher } from '../../page/fetch/index.js'
import { type Bundle, openBundle, type Progress, readRenewal, sha256 } from '../bundle/index.js'
import { MOST_TOURS, REFUSALS_PER_MINUTE } from '../limits.js'
import { type AuditEntry, AuditLog } from './audit-log.js'
import { HostedTour } from './hosted-tour.js'
import type { AllowedHome, HostFolder } from './policy.js'
import { ReplayGuard } from './replay-guard.js'

/** An origin of the owner, and where its pages lie. */
export interface SiteSource {
  readonly origin: string
  /** Opens a fetcher that reads this source and nothing else. */
  readonly open: () => Fetcher
}

export interface HostToursParts {
  readonly clock: Clock
  readonly random: Random
  readonly folder: HostFolder
  readonly sources: readonly SiteSource[]
  readonly productToken: string
}

/** A refusal has a status of HTTP. */
type Accepted =
  | { readonly ok: true; readonly progress: Progress }
  | { readonly ok: false; readonly status: number; readonly why: string }

const refused = (status: number, why: string): Accepted => ({ ok: false, status, why })

export class HostTours {
  readonly #parts: HostToursParts
  readonly #tours = new Map<string, HostedTour>()
  readonly #replays: ReplayGuard
  readonly #audit: AuditLog
  /** One bundle at a time: the checks and the acceptance belong together. */
  readonly #accepting = new Semaphore(1)
  #refusals = { since: 0, count: 0 }

  constructor(parts: HostToursParts) {
    this.#parts = parts
    this.#replays = new ReplayGuard(join(parts.folder.path, 'accepted'))
    this.#audit = new AuditLog(join(parts.folder.path, 'audit.jsonl'))
  }

  accept(bytes: Buffer): Promise<Accepted> {
    return this.#accepting.run(async () => {
      const sum = sha256(bytes)
      const { clock, folder } = this.#parts
      const opened = await openBundle(bytes, folder.keys.publicKey, clock.now())
      if (!opened.ok) return this.#refuse(null, sum, 400, `the bundle is refused: ${opened.why}`)
      return this.#acceptBundle(opened, sum)
    })
  }

  /** Undefined if there is no such tour, null if the renewal is refused. */
  renew(id: string, text: string): Progress | null | undefined {
    const tour = this.#tours.get(id)
    if (tour === undefined) return undefined
    const renewal = readRenewal(text, tour.bundle.manifest.home)
    if (renewal === null || renewal.tour !== id) return null
    if (renewal.stop) tour.stop()
    return tour.renew(renewal.nonce, renewal.leftMs, renewal.have)
  }

  part(id: string, number: number): Buffer | undefined {
    return this.#tours.get(id)?.part(number)
  }

  /** Call this when the bytes of a part have left. */
  sent(id: string, number: number, bytes: number): void {
    const tour = this.#tours.get(id)
    if (tour !== undefined) this.#write('sent', tour.bundle, '', { bytes, detail: `part ${number}` })
  }

  close(): void {
    for (const tour of this.#tours.values()) tour.drop()
  }

  #acceptBundle(bundle: Bundle, sum: string): Accepted {
    const { clock, folder, sources } = this.#parts
    const { manifest } = bundle
    const home = folder.policy().homes.find(({ key }) => key === manifest.home)
    if (home === undefined)
      return this.#refuse(bundle, sum, 403, 'this home is not allowed here; ask the owner of the host')
    const source = sources.find(({ origin }) => origin === manifest.origin)
    if (source === undefined) return this.#refuse(bundle, sum, 404, `${manifest.origin} is not hosted here`)
    const busy = this.#busy(bundle)
    if (busy !== null) return this.#refuse(bundle, sum, 429, busy)
    const standing = this.#replays.accept(manifest.id, manifest.expires, clock.now())
    if (standing === 'known') return this.#refuse(bundle, sum, 409, 'this bundle was accepted before')
    if (standing === 'full') return this.#refuse(bundle, sum, 429, 'too many bundles have not expired yet')
    this.#endOlder(bundle)
    this.#write('accepted', bundle, sum, {})
    return { ok: true, progress: this.#begin(bundle, home, source).progress() }
  }

  /** One tour per home at a time; a new one for the same cell replaces the old one. */
  #busy({ manifest }: Bundle): string | null {
    const ofHome = this.#toursOf(manifest.home)
    const isOther = ({ bundle }: HostedTour) => bundle.manifest.cell !== manifest.cell
    if (ofHome.some(tour => tour.isUnderWay && isOther(tour))) return 'a tour of this home is under way'
    if (ofHome.some(tour => !isOther(tour) && tour.bundle.manifest.epoch > manifest.epoch))
      return 'a tour with a higher epoch is under way'
    return this.#tours.size >= MOST_TOURS ? 'too many tours are under way' : null
  }

  #endOlder({ manifest }: Bundle): void {
    for (const tour of this.#toursOf(manifest.home))
      if (tour.bundle.manifest.cell === manifest.cell) tour.drop()
  }

  #toursOf(home: string): HostedTour[] {
    return [...this.#tours.values()].filter(({ bundle }) => bundle.manifest.home === home)
  }

  #begin(bundle: Bundle, home: AllowedHome, source: SiteSource): HostedTour {
    const { clock, random, folder, productToken } = this.#parts
    const { maxPages: pages, maxReadBytes: readBytes, delayMs } = home
    const tour = new HostedTour({
      clock,
      bundle,
      keys: folder.keys,
      limits: { pages, readBytes, delayMs },
      productToken,
      open: source.open,
      scratch: join(folder.path, 'scratch', bundle.manifest.id),
      salt: Math.floor(random.next() * 2 ** 32),
      onEnd: (detail, counts) => this.#write('ended', bundle, '', { detail, ...counts }),
      onGone: () => this.#tours.delete(tour.id),
    })
    this.#tours.set(tour.id, tour)
    return tour
  }

  #refuse(bundle: Bundle | null, sum: string, status: number, why: string): Accepted {
    const now = this.#parts.clock.now()
    if (now - this.#refusals.since >= 60_000) this.#refusals = { since: now, count: 0 }
    // Whoever can reach the host could fill its disk with refusals.
    if (++this.#refusals.count <= REFUSALS_PER_MINUTE) this.#write('refused', bundle, sum, { detail: why })
    return refused(status, why)
  }

  #write(event: AuditEntry['event'], bundle: Bundle | null, sum: string, more: Partial<AuditEntry>): void {
    const { home = '', id = '', origin = '' } = bundle?.manifest ?? {}
    const at = new Date(this.#parts.clock.now()).toISOString()
    const usual = { pages: 0, kept: 0, bytes: 0, detail: '' }
    this.#audit.write({ at, event, home, bundle: id, site: origin, sha256: sum, ...usual, ...more })
  }
}
