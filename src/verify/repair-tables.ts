/**
 * Rebuilds missing page and link rows. The journals tell which rows there should be; sound files have some,
 * the archive brings the rest. What the archive does not have is lost and must be fetched again.
 */
import { join } from 'node:path'
import { isService } from '../cluster/agent/lane/index.js'
import { parquet } from '../data/query/index.js'
import { type PageLinks, RowLogWriter, tableUrl } from '../data/store/tables/index.js'
import { convertLogs } from '../data/store/tables/parquet/index.js'
import { digestFile } from '../files/index.js'
import type { FileRow } from '../ledger/index.js'
import { fingerprint, takeFingerprint } from '../model/bytes/index.js'
import { type OutcomeCode, outcomeRule, type PageRow, withoutMark } from '../model/index.js'
import { siteOf } from '../model/url/index.js'
import type { FrontierSpace } from '../page/frontier/index.js'
import { SeenSet } from '../page/frontier/seen/index.js'
import { type ArchivedExchange, exchangesOf } from './archived-exchange.js'
import { type JournalOutcome, journalOutcomes } from './journal-outcomes.js'
import type { RepairCrawl } from './open-repair.js'
import { type RebuildSettings, rebuildPage, rowWithoutResponse } from './rebuild-page.js'
import type { LostUrl } from './reopen-urls.js'
import { scanWarc } from './scan-warc.js'
import { TableFiles } from './table-files.js'
import { type Table, type TableSource, tableSources } from './table-sources.js'

export interface TablesTask extends RepairCrawl {
  readonly space: FrontierSpace
  readonly files: readonly FileRow[]
  readonly damaged: ReadonlySet<string>
  /** All WARCs, including repaired ones. */
  readonly archives: readonly { readonly name: string; readonly path: string; readonly bytes: number }[]
  /** Ranges of WARCs whose records are lost. */
  readonly lostPlaces: readonly { readonly warc: string; readonly offset: number; readonly length: number }[]
  /** URLs of records that are lost. */
  readonly lostUrls: ReadonlySet<string>
}

export interface RepairedTables {
  /** Files that were replaced. */
  readonly replaced: readonly string[]
  /** New files, not yet listed by the ledger. */
  readonly made: readonly { name: string; kind: string; bytes: number; crc32: number }[]
  readonly lost: readonly LostUrl[]
  /** Pages whose link rows are lost and that are not in the archive (noarchive): they cannot be rebuilt. */
  readonly withoutLinks: readonly string[]
  readonly counts: RebuiltCounts
}

interface RebuiltCounts {
  pages: number
  links: number
  /** Rows of URLs without a response, known from the journal only. */
  withoutResponse: number
  /** Rows without title and text, because the payload is in the archive of another crawl. */
  withoutText: number
}

export async function repairTables(task: TablesTask): Promise<RepairedTables> {
  const tables = await TableFiles.open(task.scratch)
  const repair = new TableRepair(task, tables)
  try {
    return await repair.run()
  } finally {
    repair.close()
    await tables.close()
  }
}

const TABLES: readonly Table[] = ['pages', 'links']
const IS_DROPPED = 'url IN (SELECT url FROM dropped)'
const INSERT_ROWS = 500

class TableRepair {
  readonly #task: TablesTask
  readonly #tables: TableFiles
  readonly #sources: Readonly<Record<Table, readonly TableSource[]>>
  readonly #out: Readonly<Record<Table, RowLogWriter>>
  readonly #settings: RebuildSettings
  /** Rows that the journals require, and rows that exist or were rebuilt. */
  readonly #expected: RowKeys
  readonly #present: RowKeys
  readonly #presentLinks: RowKeys
  readonly #attempts = new Map<string, number>()
  /** Agents by WARC; by the empty name if there is only one agent. */
  readonly #agents = new Map<string, string>()
  /** Responses without metadata, by URL. */
  readonly #bare = new Map<string, { readonly archived: ArchivedExchange; readonly warc: string }>()
  readonly #lost: LostUrl[] = []
  readonly #counts: RebuiltCounts = { pages: 0, links: 0, withoutResponse: 0, withoutText: 0 }

  constructor(task: TablesTask, tables: TableFiles) {
    const { scratch, space, config, ledger } = task
    this.#task = task
    this.#tables = tables
    this.#sources = { pages: tableSources(task, 'pages'), links: tableSources(task, 'links') }
    this.#out = {
      pages: new RowLogWriter(join(scratch, 'pages.rows')),
      links: new RowLogWriter(join(scratch, 'links.rows')),
    }
    this.#expected = new RowKeys(space)
    this.#present = new RowKeys(space)
    this.#presentLinks = new RowKeys(space)
    const known = async (url: string) => (await ledger.loadMeta(siteOf(url), [url])).get(url)
    this.#settings = { config, known }
  }

  async run(): Promise<RepairedTables> {
    const dropped = await this.#drop()
    const arePagesDamaged = this.#sources.pages.some(({ isDamaged }) => isDamaged)
    const areLinksDamaged = this.#sources.links.some(({ isDamaged }) => isDamaged)
    const needsPages = arePagesDamaged || dropped > 0
    const needsLinks = areLinksDamaged || dropped > 0
    const replaced = [...(await this.#copy('pages')), ...(await this.#copy('links'))]
    if (needsPages || needsLinks) {
      await this.#readPresent(needsLinks)
      await this.#readArchive(needsPages, needsLinks)
    }
    const withoutLinks = areLinksDamaged ? await this.#withoutLinks() : []
    if (needsPages) await this.#readJournals()
    const made = TABLES.flatMap(table => this.#finish(table))
    return { replaced, made, lost: this.#lost, withoutLinks, counts: this.#counts }
  }

  close(): void {
    for (const keys of [this.#expected, this.#present, this.#presentLinks]) keys.close()
  }

  /**
   * Collects the URLs whose rows are dropped, because `resume` fetches them again: lost pages, also those of
   * an earlier repair that was interrupted after it changed the ledger. Returns their number.
   */
  async #drop(): Promise<number> {
    const urls = new Set([...this.#task.lostUrls].map(tableUrl))
    for await (const outcome of journalOutcomes(this.#task.ledger, this.#task.space)) {
      const url = tableUrl(withoutMark(outcome.discovery.url))
      if (!outcome.counts) urls.add(url)
      else if (!isService(outcome.code)) {
        this.#expected.add(url, outcome.code)
        if (outcome.attempt > 1) this.#attempts.set(url, outcome.attempt)
      }
    }
    for (const { path } of this.#sources.pages) {
      if (path === null) continue
      for (const { warc, offset, length } of this.#task.lostPlaces) {
        const place = `warc_filename = '${warc.replaceAll("'", "''")}' AND warc_record_offset >= ${offset}
          AND warc_record_offset < ${offset + length}`
        for await (const { row } of this.#tables.pages(path, place)) urls.add(row.url)
      }
    }
    await this.#tables.fill('dropped', [...urls], INSERT_ROWS)
    return urls.size
  }

  /** Copies the sound rows of files that must be replaced; returns the names of these files. */
  async #copy(table: Table): Promise<string[]> {
    const replaced: string[] = []
    for (const { file, path, isDamaged } of this.#sources[table]) {
      const isChanged = isDamaged || (path !== null && (await this.#tables.count(path, IS_DROPPED)) > 0)
      if (!isChanged) continue
      replaced.push(file.name)
      if (path !== null && table === 'pages') await this.#copyPages(path)
      if (path !== null && table === 'links') await this.#copyLinks(path)
    }
    return replaced
  }

  async #copyPages(path: string): Promise<void> {
    for await (const { row, agent, warc } of this.#tables.pages(path, `NOT (${IS_DROPPED})`))
      this.#out.pages.addPage(row, agent, warc)
  }

  async #copyLinks(path: string): Promise<void> {
    for await (const { url, target, kind } of this.#tables.links(path, `NOT (${IS_DROPPED})`))
      this.#out.links.addLinks(url, { targets: [target], kinds: [kind] })
  }

  async #readPresent(links: boolean): Promise<void> {
    const agents = await this.#task.ledger.agentWork()
    if (agents.length === 1) this.#agents.set('', agents[0].name)
    for (const path of this.#readable('pages')) {
      const sql = `SELECT url, outcome, warc_filename, agent FROM ${parquet([path])}`
      for await (const [url, outcome, warc, agent] of this.#tables.rows(`${sql} WHERE NOT (${IS_DROPPED})`)) {
        this.#present.add(String(url), String(outcome))
        if (warc !== null && agent !== null) this.#agents.set(String(warc), String(agent))
      }
    }
    if (!links) return
    for (const path of this.#readable('links'))
      for await (const { url, target, kind } of this.#tables.links(path, `NOT (${IS_DROPPED})`))
        this.#presentLinks.add(url, `${target} ${kind}`)
  }

  /** Files that can be read at least in part. */
  #readable(table: Table): string[] {
    return this.#sources[table].flatMap(({ path }) => (path === null ? [] : [path]))
  }

  /** Compares the link rows with the number of links in the page rows. */
  async #withoutLinks(): Promise<string[]> {
    const { archive, links } = this.#task.config
    const pages = this.#readable('pages')
    if (archive === 'none' || pages.length === 0) return []
    const column = links === 'all' ? 'outlinks' : 'outlinks_foreign'
    return this.#tables.pagesShortOfLinks(pages, this.#readable('links'), column, `NOT (${IS_DROPPED})`)
  }

  async #readArchive(pages: boolean, links: boolean): Promise<void> {
    for (const { name, path, bytes } of this.#task.archives) {
      for await (const archived of exchangesOf(scanWarc(path, bytes, []))) {
        const { visit } = archived
        const url = tableUrl(archived.url)
        if (visit === null) this.#bare.set(url, { archived, warc: name })
        if (visit === null || !this.#expected.has(url, visit.outcome)) continue
        const isMissing = pages && !this.#present.has(url, visit.outcome)
        if (isMissing || links) await this.#rebuild(archived, name, visit, visit.outcome, isMissing, links)
      }
    }
  }

  async #rebuild(
    archived: ArchivedExchange,
    warc: string,
    visit: Pick<JournalOutcome['discovery'], 'depth' | 'hops' | 'via'>,
    code: OutcomeCode,
    isMissing: boolean,
    links: boolean,
  ): Promise<void> {
    const { depth, hops, via } = visit
    const url = tableUrl(archived.url)
    const entry = { url: archived.url, depth, hops, via, score: 0, attempt: this.#attempts.get(url) ?? 1 }
    const rebuilt = await rebuildPage(archived, entry, code, this.#settings)
    if (rebuilt === null) return
    if (isMissing) this.#addPage(rebuilt.row, warc)
    if (isMissing && !rebuilt.isWhole) this.#counts.withoutText++
    if (links && rebuilt.links !== null) this.#addLinks(url, rebuilt.links)
  }

  #addPage(row: PageRow, warc: string): void {
    this.#present.add(row.url, row.outcome)
    this.#out.pages.addPage(row, this.#agents.get(warc) ?? this.#agents.get('') ?? '', warc)
    this.#counts.pages++
  }

  /** Adds missing links only. A page may have links in several segments, and a target once per kind. */
  #addLinks(url: string, { targets, kinds }: PageLinks): void {
    const places = [...targets.keys()].filter(i => this.#presentLinks.add(url, `${targets[i]} ${kinds[i]}`))
    if (places.length === 0) return
    const missing = { targets: places.map(i => targets[i]), kinds: places.map(i => kinds[i]) }
    this.#out.links.addLinks(url, missing)
    this.#counts.links += places.length
  }

  async #readJournals(): Promise<void> {
    const hasTables = this.#task.config.tables !== 'none'
    for await (const outcome of journalOutcomes(this.#task.ledger, this.#task.space)) {
      const { code, discovery, counts } = outcome
      const url = tableUrl(withoutMark(discovery.url))
      if (!counts || !this.#present.add(url, code)) continue
      const isStored = outcomeRule(code).kind === 'stored'
      if (isService(code) || !hasTables) {
        const isLost = isStored && code !== 'PROBE' && this.#task.lostUrls.has(withoutMark(discovery.url))
        if (isLost) this.#lost.push(outcome)
      } else await this.#settle(outcome, url, isStored)
    }
  }

  /** Rebuilds a row without an archived response, or counts its URL as lost. */
  async #settle({ cell, discovery, code, attempt }: JournalOutcome, url: string, isStored: boolean) {
    const bare = this.#bare.get(url)
    if (bare !== undefined) await this.#rebuild(bare.archived, bare.warc, discovery, code, true, true)
    else if (isStored) this.#lost.push({ cell, discovery, code })
    else {
      this.#addPage(rowWithoutResponse(discovery, code, attempt), '')
      this.#counts.withoutResponse++
    }
  }

  #finish(table: Table): RepairedTables['made'] {
    const log = this.#out[table]
    const committedBytes = log.close()
    if (log.rows === 0) return []
    // The seat's epoch tells it from the file of an earlier repair.
    const name = `tables/${table}/repaired-s${this.#task.seat}.parquet`
    const outPath = join(this.#task.target, name)
    convertLogs({ table, logs: [{ path: log.path, committedBytes }], outPath })
    return [{ name, kind: table, ...digestFile(outPath, table, Number.MAX_SAFE_INTEGER) }]
  }
}

/** A set of table rows by two of their columns, as fingerprints; it spills to disk. */
class RowKeys {
  readonly #keys: SeenSet

  constructor(space: FrontierSpace) {
    this.#keys = new SeenSet(space.seen)
  }

  has(url: string, other: string): boolean {
    takeFingerprint(`${url} ${other}`)
    return this.#keys.has(fingerprint.low, fingerprint.high)
  }

  /** True if it is new. */
  add(url: string, other: string): boolean {
    takeFingerprint(`${url} ${other}`)
    return this.#keys.add(fingerprint.low, fingerprint.high)
  }

  close(): void {
    this.#keys.close()
  }
}
