/** A violation, made as small as it can be: fewer faults, fewer sites, fewer agents, as long as the promise is broken. */
import { type SimulationOptions, type SimulationResult, simulate } from './world.js'

/** Runs spent on it at most. */
const TRIES = 60
const LINES = 80

export interface Shrunk {
  readonly options: SimulationOptions
  readonly result: SimulationResult
}

export async function shrink(options: SimulationOptions, found: SimulationResult): Promise<Shrunk> {
  const { promise } = found.violations[0]
  let tries = 0
  let best: Shrunk = { options: { ...options, faults: found.faults, keepsHistory: true }, result: found }
  const attempt = async (changed: Partial<SimulationOptions>): Promise<boolean> => {
    if (++tries > TRIES) return false
    const smaller = { ...best.options, ...changed }
    const result = await simulate(smaller)
    if (!result.violations.some(violation => violation.promise === promise)) return false
    best = { options: smaller, result }
    return true
  }
  await attempt({})
  await withFewerFaults(() => best, attempt)
  for (const part of ['sites', 'pages', 'agents'] as const) {
    while (best.options[part] > 2 && (await attempt({ [part]: Math.ceil(best.options[part] / 2) })));
  }
  await withFewerFaults(() => best, attempt)
  return best
}

async function withFewerFaults(
  best: () => Shrunk,
  attempt: (changed: Partial<SimulationOptions>) => Promise<boolean>,
): Promise<void> {
  for (let at = best().result.faults.length - 1; at >= 0; at--)
    await attempt({ faults: best().result.faults.filter((_fault, i) => i !== at) })
}

/** What a person needs to see what went wrong, and to make it go wrong again. */
export function explain({ options, result }: Shrunk, seed: number): string {
  const { violations, history, faults } = result
  const lines = history.about(violations[0].about)
  return [
    `seed ${seed}: ${violations.map(({ promise, what }) => `${promise} ${what}`).join('\n  ')}`,
    `still so with ${options.agents} agents, ${options.sites} sites, ${result.pages} pages and ${faults.length} faults:`,
    ...faults.map(
      ({ kind, after, agent, forMs }) => `  ${kind} after ${after.toFixed(2)}, agent ${agent}, ${forMs} ms`,
    ),
    ...(lines.length > LINES ? [`  … ${lines.length - LINES} lines before`] : []),
    ...lines.slice(-LINES),
  ].join('\n')
}
