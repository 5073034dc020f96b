/**
 * cluster/agent/: the crawl loop of one process. Read cluster/agent/lane/lane.ts, then agent.ts.
 * In: leases of cells. Out: packs in the store, acknowledged by the ledger.
 * Always: a page is forgotten only after it is durable; a link is durable no later than its page.
 */

export { Agent, type AgentEnd } from './agent.js'
export type { AgentInput } from './agent-input.js'
export { type AssembledAgent, assembleAgent } from './assemble-agent.js'
