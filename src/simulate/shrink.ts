/**
 * A violation, made as small as it can be: fewer faults, fewer sites, fewer agents, as long as the promise is
 * broken.
 */
import type { Violation } from './checker.js'
import { type SimulationOptions, type SimulationResult, simulate } from './world.js'

/** Runs spent on it at most. */
const TRIES = 50
const LINES = 80

export interface Shrunk {
  readonly options: SimulationOptions
  readonly result: SimulationResult
}

export async function shrink(options: SimulationOptions, found: SimulationResult): Promise<Shrunk> {
  const { promise } = found.violations[0]
  let tries = 0
  let best: Shrunk = {
    options: { ...options, faults: found.faults, keepsHistory: true, stopsEarly: true },
    result: found,
  }
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
  for (const part of ['agents', 'pages', 'sites', 'lanes'] as const)
    for (const by of [1 / 4, 1 / 2, 3 / 4])
      while (
        best.options[part] > 1 &&
        (await attempt({ [part]: Math.max(1, Math.floor(best.options[part] * by)) }))
      );
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

/** What was promised, for those who do not know the numbers by heart. */
const PROMISES: Readonly<Record<Violation['promise'], string>> = {
  P1: 'no acknowledged page is lost',
  P2: 'every URL is found, whatever fails',
  P3: 'no page is stored twice, or fetched after it was acknowledged',
  P4: 'files hold exactly what was committed',
  P5: 'a site is crawled by one agent at a time, and never requested twice within its delay',
  P6: 'who has lost a site cannot commit anything for it',
  P7: 'the crawl ends',
  P8: 'same seed, same history',
  P9: 'robots.txt is obeyed',
  D16: 'sites of a failed agent are the next to be leased',
  bug: 'no agent fails without an injected fault',
}

/** What a person needs to see what went wrong, and to make it go wrong again with `command`. */
export function explain({ options, result }: Shrunk, command: string): string {
  const { violations, history, faults } = result
  const { promise, what, about, after } = violations[0]
  const lines = history.about(about, after)
  return [
    `${promise} is broken: ${PROMISES[promise]}`,
    `  ${what}`,
    `to see it again: ${command}`,
    `it still happens with ${options.agents} agents, ${options.sites} sites, ${result.pages} pages and ${faults.length} faults;`,
    `what led to it${about.length > 0 ? ` (${about.join(', ')})` : ''}, in virtual time:`,
    ...(lines.length > LINES ? [`  … ${lines.length - LINES} lines before`] : []),
    ...lines.slice(-LINES),
  ].join('\n')
}
