/** Where the routing table of a crawl is, and what the ledger and the report say of it. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { cellCounts, newStage } from '../../cluster/coordinator/index.js'
import type { CrawlConfig } from '../../config/index.js'
import type { Ledger } from '../../ledger/index.js'
import { hostOf } from '../../model/url/index.js'
import { StaticHosts } from '../../page/fetch/dns/index.js'
import { type AddressOf, RoutingTable, stageIn } from '../../plan/assign/learned/index.js'
import type { Report } from '../../report/index.js'

export const ROUTING_FILE = 'learned/routing.bin'
const SETTING = 'seat.routing'

/** Figures of the table that is in force, or why there is none. */
export type RoutingRecord = NonNullable<Report['routing']>

/**
 * Saves the record and begins a stage. Call it after the table was written: agents that see the stage read
 * the table.
 */
export async function saveRoutingRecord(ledger: Ledger, note: RoutingRecord): Promise<void> {
  const written = { [SETTING]: JSON.stringify(note) }
  if ('why' in note) await ledger.set(written)
  else await newStage(ledger, written)
}

/** Null if the assignment needs no table. */
export async function readRoutingRecord(ledger: Ledger): Promise<RoutingRecord | null> {
  const { [SETTING]: note } = await ledger.settings()
  return note === undefined ? null : (JSON.parse(note) as RoutingRecord)
}

/** Null if the table is missing or incomplete. */
export function readTable(directory: string, config: CrawlConfig): RoutingTable | null {
  const bytes = readTableBytes(directory)
  return bytes === null ? null : decodeTable(bytes, config)
}

/** Decodes a table with the addresses of `--resolve`, which are the same for all agents. */
export function decodeTable(bytes: Uint8Array, { resolve }: CrawlConfig): RoutingTable | null {
  return RoutingTable.decode(bytes, givenAddresses(resolve))
}

/** The bytes of the table; null if there is none. */
export function readTableBytes(directory: string): Buffer | null {
  const path = join(directory, ROUTING_FILE)
  return existsSync(path) ? readFileSync(path) : null
}

/** Figures of the routing by agents, for the report; null if agents had no table. */
export async function routedOf(directory: string, ledger: Ledger): Promise<Report['routed']> {
  const settings = await ledger.settings()
  const stage = stageIn(settings)
  if (stage === 0) return null
  const { taken, given } = cellCounts(settings)
  const tableBytes = readTableBytes(directory)?.length ?? 0
  return { stages: stage, tableBytes, cellsTaken: taken, cellsGiven: given }
}

/** The routing table of this crawl; null if it has none. */
export async function tableOf(
  directory: string,
  ledger: Ledger,
  config: CrawlConfig,
): Promise<RoutingTable | null> {
  const note = await readRoutingRecord(ledger)
  return note === null || 'why' in note ? null : readTable(directory, config)
}

/**
 * The addresses that the user gave with `--resolve`. Other names are looked up by agents while they crawl.
 */
function givenAddresses(resolve: CrawlConfig['resolve']): AddressOf {
  const hosts = StaticHosts.parse(resolve)
  if (typeof hosts === 'string') return () => null
  return site => hosts.find(hostOf(site))?.[0].address ?? null
}
