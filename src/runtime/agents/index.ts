/**
 * runtime/agents/: the agents of this process. In: a ledger, a bus, a configuration. Out: agents that crawl,
 * and their progress. Always: an agent that died is replaced, and its files end with what was committed.
 */
export type { AgentThreadData, FromAgent, ToAgent } from './agent-messages.js'
export { type AgentPool, openAgentPool } from './agent-pool.js'
export { ThreadAgentPool } from './thread-agent-pool.js'
