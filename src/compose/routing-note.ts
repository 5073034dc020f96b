/** Where the routing table of a crawl is, and what the ledger and the report say of it. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { RoutingTable } from '../assign/index.js'
import type { Ledger } from '../cluster/index.js'
import type { Routes } from './route-task.js'

export const ROUTING_FILE = 'learned/routing.bin'
const SETTING = 'seat.routing'

/** Figures of the table that is in force, or why there is none. */
export type RoutingNote = Routes | (Exclude<Routes, { readonly why: string }> & MadeLive)

/** Of a table that was made while the crawl ran. */
interface MadeLive {
  readonly madeAt: string
}

export async function saveNote(ledger: Ledger, note: RoutingNote): Promise<void> {
  await ledger.set({ [SETTING]: JSON.stringify(note) })
}

/** Null where the assignment needs no table. */
export async function readNote(ledger: Ledger): Promise<RoutingNote | null> {
  const { [SETTING]: note } = await ledger.settings()
  return note === undefined ? null : (JSON.parse(note) as RoutingNote)
}

/** Null when it is not there or not whole. */
export function readTable(directory: string): RoutingTable | null {
  const path = join(directory, ROUTING_FILE)
  return existsSync(path) ? RoutingTable.decode(readFileSync(path)) : null
}

/** The table that this crawl goes by; null where it has none. */
export async function tableOf(directory: string, ledger: Ledger): Promise<RoutingTable | null> {
  const note = await readNote(ledger)
  return note === null || 'why' in note ? null : readTable(directory)
}
