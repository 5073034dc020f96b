/**
 * Cells of a crawl in phases: `site#shard`, the shard by hash of the whole URL (K2). The ledger groups all
 * cells of a shard under `#shard`. The turn of that group is the lease of the shard, so all its cells go to
 * one agent at a time. The clock, not a turn, then decides who may send requests to a host.
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

/** The shard of a cell, or of its group. */
export function shardOf(cell: CellId | GroupId): number {
  return Number(cell.slice(cell.indexOf('#') + 1))
}

/**
 * The phase of a site (K3), by its group, so that sites that share a turn are in the same phase. With
 * `--group none` that is the host, as in the paper.
 */
export function phaseOf(site: Site, grouping: Grouping, { phases }: Pick<PhasePlan, 'phases'>): number {
  return charSum(groupOf(site, grouping)) % phases
}
