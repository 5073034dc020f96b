/**
 * Whether a crawl directory and a ledger belong together. Every start of a coordinating run gives both the
 * same new random token, a generation, and both keep the chain of their generations. A directory and a ledger
 * that were backed up together have the same last one; as soon as one of them is used with another partner,
 * it gets a generation that the other will never have. Paths, host names and times say nothing about this:
 * copies share them.
 *
 * A generation is written in three steps (`runtime/directory/generation.ts`): announced in the directory as
 * `next`, written to the ledger, confirmed in the directory. So a crash at any point leaves a pair that
 * belongs together, and once the third step is done, a ledger from before it is refused.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { damageError, readSealed, writeSealed } from '../../files/index.js'

/** In the crawl directory. */
export const GENERATIONS_FILE = 'generations.json'
/** The ledger's setting: a JSON array. Settings that begin with `crawl.` do not travel with heartbeats. */
export const GENERATIONS_SETTING = 'crawl.generations'
/** Generations kept. Of two chains that share none, it is unknown which is older. */
const KEPT = 100

/** The oldest first; the last is the current one. */
export type Generations = readonly string[]

export interface StoreGenerations {
  readonly generations: Generations
  /** Announced, and perhaps in the ledger already. */
  readonly next: string | null
}

/**
 * `same`: a pair. `ledger-older`, `store-older`: one is an earlier state of the other. `apart`: both have
 * changed since they were a pair. `strangers`: the chains have nothing in common.
 */
export type PairRelation = 'same' | 'ledger-older' | 'store-older' | 'apart' | 'strangers'

/** A directory and a ledger that do not belong together. `message` is one line for the user. */
export class PairError extends Error {
  override readonly name = 'PairError'
}

export function readGenerations(directory: string): StoreGenerations {
  const path = join(directory, GENERATIONS_FILE)
  if (!existsSync(path)) return { generations: [], next: null }
  const read = readSealed(path, GENERATIONS_FILE)
  const { generations, next }: Partial<StoreGenerations> = read?.content ?? {}
  const isTold = areTokens(generations) && (next === null || typeof next === 'string')
  if (isTold && read?.seal !== 'wrong') return { generations, next }
  throw damageError(directory, GENERATIONS_FILE, 'is damaged')
}

export function writeGenerations(directory: string, { generations, next }: StoreGenerations): void {
  writeSealed(join(directory, GENERATIONS_FILE), GENERATIONS_FILE, { generations, next })
}

/** The generations of a ledger, from its settings. */
export function ledgerGenerations(settings: Readonly<Record<string, string>>): Generations {
  try {
    const known: unknown = JSON.parse(settings[GENERATIONS_SETTING] ?? '[]')
    return areTokens(known) ? known : []
  } catch {
    return []
  }
}

export function withGeneration(generations: Generations, next: string): Generations {
  return [...generations, next].slice(-KEPT)
}

function areTokens(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(token => typeof token === 'string')
}

/** Without any generation they are a pair: the first run was killed before it made one. */
export function relationOf({ generations, next }: StoreGenerations, ledger: Generations): PairRelation {
  const ours = generations.at(-1)
  const theirs = ledger.at(-1)
  if (theirs === ours || (theirs !== undefined && theirs === next)) return 'same'
  if (theirs === undefined || ours === undefined) return 'strangers'
  if (generations.includes(theirs)) return 'ledger-older'
  if (ledger.includes(ours)) return 'store-older'
  return generations.some(token => ledger.includes(token)) ? 'apart' : 'strangers'
}

type ReadSettings = () => Promise<Readonly<Record<string, string>>>

/**
 * Compares a directory with a ledger, by the ledger's settings. The directory is read before and after the
 * ledger: if a run starts in between and writes both, one of the two readings matches the ledger.
 */
export async function pairRelation(directory: string, settings: ReadSettings): Promise<PairRelation> {
  const before = readGenerations(directory)
  const ledger = ledgerGenerations(await settings())
  return relationOf(before, ledger) === 'same' ? 'same' : relationOf(readGenerations(directory), ledger)
}

/** Throws a PairError unless the two belong together. `ledgerName`: what to call the ledger. */
export async function checkPair(
  directory: string,
  ledgerName: string,
  settings: ReadSettings,
): Promise<void> {
  const relation = await pairRelation(directory, settings)
  if (relation !== 'same') throw pairError(relation, directory, ledgerName)
}

/** A directory without its chain is damaged: `repair` restores the chain from the ledger. */
export function pairError(
  relation: Exclude<PairRelation, 'same'>,
  directory: string,
  ledgerName: string,
): Error {
  if (!existsSync(join(directory, GENERATIONS_FILE)))
    return damageError(directory, GENERATIONS_FILE, 'is missing')
  return new PairError(`${WHAT_IS_WRONG[relation](directory, ledgerName)}; nothing was changed`)
}

const ONE_BACKUP = 'restore both from one backup'

const WHAT_IS_WRONG: Readonly<
  Record<Exclude<PairRelation, 'same'>, (directory: string, ledger: string) => string>
> = {
  'ledger-older': (directory, ledger) =>
    `${ledger} is older than ${directory}: use the ledger with which the directory was last used, or ${ONE_BACKUP}, ` +
    'or continue from the older ledger with "orbweaver resume … --restored"',
  'store-older': (directory, ledger) =>
    `${directory} is older than ${ledger}: use the directory with which the ledger was last used, or ${ONE_BACKUP}`,
  apart: (directory, ledger) =>
    `${directory} and ${ledger} were each used without the other: use each with its own partner, or ${ONE_BACKUP}`,
  strangers: (directory, ledger) =>
    `${ledger} does not belong to ${directory}: name the one that does (--ledger and --name), or ${ONE_BACKUP}`,
}
