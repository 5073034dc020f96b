/** What the agents of a crawl's own process are called. */
export function agentNames(agents: number): string[] {
  return Array.from({ length: agents }, (_, i) => `agent-${i + 1}`)
}
