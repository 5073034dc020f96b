/**
 * Keeps a crawl directory and its ledger a pair (`data/store/pair.ts`). A run that begins to coordinate gives
 * both a new generation; every command that connects the two compares them first.
 */
import { join } from 'node:path'
import type { CrawlConfig } from '../../config/index.js'
import {
  checkPair,
  GENERATIONS_SETTING,
  ledgerGenerations,
  withGeneration,
  writeGenerations,
} from '../../data/store/index.js'
import type { Ledger } from '../../ledger/index.js'
import { LEDGER_FILE } from '../../ledger/sqlite/index.js'
import { type Random, uuid } from '../../model/index.js'
import { crawlName } from './crawl-directory.js'

/** The name of the ledger in messages. */
export function ledgerNameOf(directory: string, config: CrawlConfig | null): string {
  if (config?.ledger === undefined) return `the ledger ${join(directory, LEDGER_FILE)}`
  return `the ledger of "${crawlName(config)}" in ${config.ledger}`
}

/** Throws a PairError unless the two belong together. */
export function checkPairNow(directory: string, ledger: Ledger, config: CrawlConfig): Promise<void> {
  return checkPair(directory, ledgerNameOf(directory, config), () => ledger.settings())
}

/** A generation that is announced in the directory. */
export interface NewGeneration {
  /** What to write to the settings of the ledger. */
  readonly settings: Readonly<Record<string, string>>
  /** Call this after the settings are written: from then on no other ledger belongs to the directory. */
  confirm(): void
}

/** The first of three steps; `ledger` is the one that belongs to the directory now. */
export async function announceGeneration(
  directory: string,
  ledger: Ledger,
  random: Random,
): Promise<NewGeneration> {
  const known = ledgerGenerations(await ledger.settings())
  const next = uuid(random)
  const chain = withGeneration(known, next)
  writeGenerations(directory, { generations: known, next })
  return {
    settings: { [GENERATIONS_SETTING]: JSON.stringify(chain) },
    confirm: () => writeGenerations(directory, { generations: chain, next: null }),
  }
}

/**
 * All three steps, by a coordinating process that has checked the pair. Agents that are at work may have
 * another copy of the directory: their incarnations are ended, so that they commit nothing more there and
 * check the pair before they begin another.
 */
export async function beginGeneration(directory: string, ledger: Ledger, random: Random): Promise<void> {
  const { settings, confirm } = await announceGeneration(directory, ledger, random)
  await ledger.set(settings)
  confirm()
  for (const { incarnation, lanes } of await ledger.agents()) if (lanes > 0) await ledger.leave(incarnation)
}
