/** Scope that was widened by a redirect: it outlives the process, and all agents hear of it. */
import type { Ledger } from '../ledger/index.js'

/** One row for each target: agents that widen at the same time do not overwrite each other. */
const PREFIX = 'scope.widened '
/** Where versions before 0.2 kept all targets. */
const OLD_NAME = 'scope.widened'

export async function saveWidened(ledger: Ledger, target: string): Promise<void> {
  await ledger.set({ [`${PREFIX}${target}`]: 'true' })
}

export function widenedScope(settings: Readonly<Record<string, string>>): string[] {
  const old = settings[OLD_NAME] === undefined ? [] : (JSON.parse(settings[OLD_NAME]) as string[])
  const own = Object.keys(settings).filter(name => name.startsWith(PREFIX))
  return [...old, ...own.map(name => name.slice(PREFIX.length))]
}
