/**
 * Cells of a crawl in phases: `site#shard`, with the shard of a URL found from all of it (K2). The ledger
 * files every cell under its shard, `#shard`: the turn of that group is the lease of the shard, and goes to
 * one agent at a time with all cells of it. Who may ask a host is not a matter of turns then, but of the
 * clock.
 */

import { charSum } from '../../../model/bytes/index.js'
import {
  type CellId,
  type CellMap,
  type CellPart,
  type GroupId,
  type Grouping,
  groupOf,
} from '../../../model/index.js'
import { type Site, siteOf } from '../../../model/url/index.js'
import type { PhasePlan } from './plan.js'

export class ShardMap implements CellMap {
  readonly #nodes: number

  constructor({ nodes }: Pick<PhasePlan, 'nodes'>) {
    this.#nodes = nodes
  }

  cellOf(url: string): CellId {
    return `${siteOf(url)}#${charSum(url) % this.#nodes}`
  }

  partOf(cell: CellId): CellPart {
    const shard = shardOf(cell)
    return url => charSum(url) % this.#nodes === shard
  }

  /** Shards are never split. */
  learn(): void {}
}

/** Of a cell, or of the group it is filed under. */
export function shardOf(cell: CellId | GroupId): number {
  return Number(cell.slice(cell.indexOf('#') + 1))
}

/**
 * The phase of a site (K3). Of sites that share a turn the name of what they share counts, so that they are
 * in one phase: with `--group none` that is the host, as in the paper.
 */
export function phaseOf(site: Site, grouping: Grouping, { phases }: Pick<PhasePlan, 'phases'>): number {
  return charSum(groupOf(site, grouping)) % phases
}
