import { ASSIGNMENTS } from '../config/index.js'
import type { SimulationOptions } from './simulation.js'

/**
 * A small run with faults, as the tests and `npm run soak` make them by the thousand. It has at least 5
 * agents, 40 sites, 500 pages and 5 faults, a kill and a zombie among them; each seed varies the sizes. In
 * every third run of each assignment, sites are split.
 */
export function smallRun(seed: number): SimulationOptions {
  const round = Math.floor(seed / ASSIGNMENTS.length)
  return {
    seed,
    agents: 5 + (seed % 2),
    sites: 40 + (seed % 3),
    pages: 510,
    faults: seed % 5 === 0 ? 'heavy' : 'light',
    assign: ASSIGNMENTS[seed % ASSIGNMENTS.length],
    lanes: 2 + (seed % 7),
    ...(round % 3 === 0 && { splitSites: 3 + (seed % 5) }),
    ...(round % 2 === 0 && { repartition: 5 }),
    delayMs: 200,
    keepsHistory: false,
  }
}
