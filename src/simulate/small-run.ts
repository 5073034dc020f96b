/** The small faulty run that CI and `npm run soak` make by the thousand. */
import { ASSIGNMENTS } from '../config/index.js'
import type { SimulationOptions } from './world.js'

/**
 * At least 5 agents, 40 sites, 500 pages and 5 faults, a kill and a zombie among them; every seed a little
 * different.
 */
export function smallRun(seed: number): SimulationOptions {
  return {
    seed,
    agents: 5 + (seed % 2),
    sites: 40 + (seed % 3),
    pages: 510,
    faults: seed % 5 === 0 ? 'heavy' : 'light',
    assign: ASSIGNMENTS[seed % ASSIGNMENTS.length],
    lanes: 2 + (seed % 7),
    ...splits(seed),
    ...(Math.floor(seed / ASSIGNMENTS.length) % 2 === 0 ? { repartition: 5 } : {}),
    delayMs: 200,
    keepsHistory: false,
  }
}

/** In every third run of each assignment sites are split, those of a few pages already. */
function splits(seed: number): Pick<SimulationOptions, 'splitSites'> {
  return Math.floor(seed / ASSIGNMENTS.length) % 3 === 0 ? { splitSites: 3 + (seed % 5) } : {}
}
