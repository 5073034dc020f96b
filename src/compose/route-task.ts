/** The work itself, for a thread that has nothing else to do: what was learned in, a routing table as a file out. */
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { planRouting, type RoutingPlan, type RoutingRequest } from '../assign/plan-routing.js'
import { readLearned } from '../learn/index.js'
import { writeFileAtomically } from '../store/index.js'

export interface RouteTask extends RoutingRequest {
  /** The previous crawl, and when it was begun. */
  readonly from: string
  readonly crawl: string
  readonly outPath: string
}

/** What the report says of a table; or why there is none. */
export type Routes =
  | (Omit<RoutingPlan, 'table' | 'heavySites'> & {
      readonly parts: number
      readonly sites: number
      readonly bytes: number
      /** Sites heavier than a part, the first of them. */
      readonly heavySites: readonly string[]
    })
  | { readonly why: string }

const NAMED_SITES = 10

export async function makeRoutes(task: RouteTask): Promise<Routes> {
  const learned = await readLearned(task.from, task.crawl)
  if ('trouble' in learned) return { why: learned.trouble }
  const plan = planRouting(learned, task)
  if (typeof plan === 'string') return { why: plan }
  const { table, heavySites, ...figures } = plan
  const bytes = table.encode()
  mkdirSync(dirname(task.outPath), { recursive: true })
  writeFileAtomically(task.outPath, bytes)
  return {
    ...figures,
    parts: table.parts,
    sites: table.sites,
    bytes: bytes.length,
    heavySites: heavySites.slice(0, NAMED_SITES),
  }
}
