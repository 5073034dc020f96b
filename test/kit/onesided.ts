/** Webs that a hash shares badly: whoever places sites anew has something to gain, whatever the port. */

import { systemClock } from '../../src/compose/index.js'
import { Rendezvous } from '../../src/plan/assign/simple/index.js'
import { agentNames } from '../../src/runtime/routing/index.js'
import { WebPlan, WebServer } from '../../src/simulate/web/index.js'

/**
 * A port that is free, and sizes such that a hash by that port gives all large sites to the first of two
 * agents.
 */
export async function onesided(sites: number): Promise<{ readonly port: number; readonly sizes: number[] }> {
  const plan = new WebPlan({ sites, pages: sites, seed: 3 })
  const server = await WebServer.listen(plan, { clock: systemClock, port: 0 })
  await server.close()
  const draw = new Rendezvous()
  const agent = { lanes: 1, freeLanes: 1, held: 0, busyLanes: [], capacity: 1 }
  draw.meet(agentNames(2).map((name, incarnation) => ({ ...agent, name, incarnation })))
  const isOfFirst = (site: number) => draw.winnerOf(server.authority(site))!.incarnation === 0
  return { port: server.port, sizes: Array.from({ length: sites }, (_, site) => (isOfFirst(site) ? 40 : 2)) }
}
