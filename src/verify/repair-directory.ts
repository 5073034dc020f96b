/** `orbweaver repair`: finds damage, repairs the ledger and crawl.json first, then the rest, and reports. */
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { systemPlatform } from '../compose/index.js'
import { ConfigError, type CrawlConfig } from '../config/index.js'
import { GENERATIONS_FILE, ledgerGenerations, writeGenerations } from '../data/store/index.js'
import { readSealed, refuseLinks } from '../files/index.js'
import { LEDGER_FILE, withLedgerCopy } from '../ledger/sqlite/index.js'
import { withoutMark } from '../model/index.js'
import { openToVerify } from '../runtime/access/index.js'
import {
  absolute,
  CRAWL_FILE,
  needTrust,
  needTrustInCopy,
  readCrawlFile,
  readRecord,
  takeLock,
  writeCrawlFile,
} from '../runtime/directory/index.js'
import type { Damage } from './damage.js'
import { repairDerived } from './derived-files.js'
import { withCrawl } from './open-repair.js'
import { Quarantine } from './quarantine.js'
import { type OnStep, type RepairOutcome, repairStore } from './repair.js'
import { type RepairedLedger, repairLedger } from './repair-ledger.js'
import { verifyDirectory } from './verify.js'

export interface RepairOptions {
  /** Reports what would be done without changing anything. */
  readonly dryRun?: boolean
  /** The directory comes from elsewhere and is trusted from now on. */
  readonly trust?: boolean
  readonly onStep?: OnStep
}

export interface RepairReport {
  readonly damage: readonly Damage[]
  /** One line each. */
  readonly done: readonly string[]
  /** URLs whose stored copy is lost; `resume` fetches them again. */
  readonly lost: readonly string[]
  /** What is lost and cannot be fetched again, one line each. */
  readonly gone: readonly string[]
  /** Folders with the damaged files, relative to the directory. */
  readonly quarantine: readonly string[]
  readonly dryRun: boolean
}

/** Throws a ConfigError if `directory` is no crawl, a DirectoryBusyError while it is in use. */
export async function repairDirectory(given: string, options: RepairOptions = {}): Promise<RepairReport> {
  const directory = absolute(given)
  if (!existsSync(directory)) throw new ConfigError(`there is no directory ${given}`)
  refuseLinks(directory)
  // A damaged crawl.json is not read. Its copy in the ledger needs trust before it is restored.
  const path = join(directory, CRAWL_FILE)
  if (existsSync(path) && readSealed(path, CRAWL_FILE)?.seal === 'right')
    needTrust(directory, systemPlatform, options.trust)
  const lock = takeLock(directory)
  try {
    return await new Repair(directory, options).run()
  } finally {
    lock.release()
  }
}

const NOT_OF_STORE: ReadonlySet<Damage['kind']> = new Set(['ledger', 'crawl', 'generations'])

class Repair {
  readonly #directory: string
  readonly #isDry: boolean
  readonly #isTrusting: boolean
  readonly #onStep: OnStep
  readonly #damage: Damage[] = []
  readonly #done: string[] = []
  readonly #lost: string[] = []
  readonly #gone: string[] = []
  readonly #quarantine: Quarantine

  constructor(directory: string, { dryRun = false, trust = false, onStep = () => {} }: RepairOptions) {
    this.#directory = directory
    this.#isDry = dryRun
    this.#isTrusting = trust
    this.#onStep = onStep
    this.#quarantine = new Quarantine(directory, systemPlatform.clock.now())
  }

  async run(): Promise<RepairReport> {
    let found = await this.#verify()
    const ledger = found.find(({ kind }) => kind === 'ledger')
    if (ledger) {
      const state = this.#repairLedger(ledger)
      if (state === 'lost' || this.#isDry) return this.#report()
      // Only the ledger lists the files that should exist: verify again.
      found = await this.#verify()
      const still = found.find(({ kind }) => kind === 'ledger')
      if (still && this.#repairLedger(still) === 'lost') return this.#report()
    }
    if (found.some(({ kind }) => kind === 'crawl') && !(await this.#restoreCrawlFile())) return this.#report()
    if (found.some(({ kind }) => kind === 'generations')) await this.#restoreGenerations()
    if (found.some(({ kind }) => !NOT_OF_STORE.has(kind))) await this.#repairStore(found)
    return this.#report()
  }

  async #verify(): Promise<Damage[]> {
    const found: Damage[] = []
    for await (const damage of verifyDirectory(this.#directory, { trust: this.#isTrusting }))
      found.push(damage)
    const known = new Set(this.#damage.map(({ file }) => file))
    this.#damage.push(...found.filter(({ file }) => !known.has(file)))
    return found
  }

  #repairLedger(damage: Damage): RepairedLedger {
    const state = repairLedger(this.#directory, damage, this.#quarantine, this.#isDry)
    if (state === 'restored')
      this.#done.push(`${LEDGER_FILE}: one flipped bit was found by the checksum and restored`)
    if (state === 'sound')
      this.#done.push(`${LEDGER_FILE}: the ledger is sound; its checksums were rewritten`)
    if (state === 'lost')
      this.#gone.push(
        `${LEDGER_FILE} cannot be repaired, so the crawl cannot be resumed. Its tables and archive can be read; ` +
          `crawl the sites again with "--previous ${this.#directory}", or restore ${LEDGER_FILE} from a backup`,
      )
    return state
  }

  /** Restores crawl.json from its copy in the ledger. */
  async #restoreCrawlFile(): Promise<boolean> {
    const path = join(this.#directory, LEDGER_FILE)
    const record = existsSync(path) ? await withLedgerCopy(path, systemPlatform.clock.now, readRecord) : null
    if (!record) {
      this.#gone.push('crawl.json is damaged and no copy of it is in the directory; restore it from a backup')
      return false
    }
    needTrustInCopy(this.#directory, record.file, this.#isTrusting)
    this.#done.push('crawl.json: restored from the ledger')
    if (this.#isDry) return false
    this.#quarantine.keep('crawl.json', 'is damaged')
    writeCrawlFile(this.#directory, record.file, systemPlatform.clock)
    return true
  }

  /** Restores the generations from the ledger. */
  async #restoreGenerations(): Promise<void> {
    this.#done.push(`${GENERATIONS_FILE}: restored from the ledger`)
    if (this.#isDry) return
    this.#quarantine.keep(GENERATIONS_FILE, 'is damaged')
    const { ledger, close } = await openToVerify(
      systemPlatform,
      this.#directory,
      readCrawlFile(this.#directory).config,
      this.#isTrusting,
    )
    const settings = await ledger.settings().finally(close)
    writeGenerations(this.#directory, { generations: ledgerGenerations(settings), next: null })
  }

  async #repairStore(found: readonly Damage[]): Promise<void> {
    const { config } = readCrawlFile(this.#directory)
    await withCrawl(this.#directory, config, this.#isDry, async crawl => {
      const outcome = await repairStore(crawl, found, this.#quarantine, this.#onStep)
      this.#tell(outcome, config)
      this.#onStep('describe')
      this.#done.push(...(await repairDerived(crawl, found, outcome, this.#quarantine)))
    })
    if (!this.#isDry) rmSync(join(this.#directory, 'frontier'), { recursive: true, force: true })
  }

  #tell({ archives, tables }: RepairOutcome, config: CrawlConfig): void {
    for (const { warc, damaged, gone } of archives) {
      const bytes = damaged.reduce((sum, { length }) => sum + length, 0)
      if (gone.length > 0) this.#done.push(`${warc}: is missing; the ledger does not list it any more`)
      else if (bytes === 0)
        this.#done.push(`${warc}: every record is sound; its index and digests were rewritten`)
      else
        this.#done.push(
          `${warc}: ${bytes} damaged bytes were replaced by empty records; the index was rewritten`,
        )
    }
    const { replaced, counts, lost, withoutLinks } = tables
    for (const name of replaced) this.#done.push(`${name}: its sound rows were copied, the others rebuilt`)
    if (counts.pages + counts.links > 0)
      this.#done.push(
        `${counts.pages} page rows and ${counts.links} link rows were rebuilt; in rebuilt page rows lane is 0, ` +
          'and agent is empty if there were several and no other row of the same WARC names it',
      )
    if (counts.withoutResponse > 0)
      this.#done.push(`${counts.withoutResponse} of them had no response: their fetch_time is unknown (1970)`)
    if (counts.withoutText > 0)
      this.#gone.push(
        `title and text of ${counts.withoutText} pages that were not modified since the crawl before`,
      )
    if (config.archive === 'none' && replaced.some(name => name.startsWith('tables/links/')))
      this.#gone.push(
        'links in damaged files of tables/links: this crawl has no archive to rebuild them from',
      )
    for (const url of withoutLinks)
      this.#gone.push(`the links of ${url}: it is not in the archive (noarchive), so they cannot be rebuilt`)
    this.#lost.push(...lost.map(({ discovery }) => withoutMark(discovery.url)))
  }

  #report(): RepairReport {
    return {
      damage: this.#damage,
      done: this.#done,
      lost: this.#lost,
      gone: this.#gone,
      quarantine: this.#quarantine.isUsed ? [this.#quarantine.folder] : [],
      dryRun: this.#isDry,
    }
  }
}
