/**
 * Makes a failing run as small as possible: fewer faults, sites and agents, as long as the same promise is
 * broken.
 */
import type { Violation } from './check/index.js'
import { simulate } from './simulate.js'
import type { SimulationOptions, SimulationResult } from './simulation.js'

const MOST_TRIES = 50
const MOST_LINES = 80

export interface Shrunk {
  readonly options: SimulationOptions
  readonly result: SimulationResult
}

export async function shrink(options: SimulationOptions, found: SimulationResult): Promise<Shrunk> {
  const { promise } = found.violations[0]
  const traced: SimulationOptions = { ...options, faults: found.faults, keepsHistory: true, stopsEarly: true }
  let best: Shrunk = { options: traced, result: found }
  let tries = 0
  const attempt = async (changed: Partial<SimulationOptions>): Promise<boolean> => {
    if (++tries > MOST_TRIES) return false
    const smaller = { ...best.options, ...changed }
    const result = await simulate(smaller)
    if (!result.violations.some(violation => violation.promise === promise)) return false
    best = { options: smaller, result }
    return true
  }
  const dropFaults = async (): Promise<void> => {
    for (let at = best.result.faults.length - 1; at >= 0; at--)
      await attempt({ faults: best.result.faults.filter((_fault, i) => i !== at) })
  }
  await attempt({})
  await dropFaults()
  for (const part of ['agents', 'pages', 'sites', 'lanes'] as const)
    for (const by of [1 / 4, 1 / 2, 3 / 4])
      while (
        best.options[part] > 1 &&
        (await attempt({ [part]: Math.max(1, Math.floor(best.options[part] * by)) }))
      );
  await dropFaults()
  return best
}

const PROMISES: Readonly<Record<Violation['promise'], string>> = {
  P1: 'no acknowledged page is lost',
  P2: 'every URL is found, whatever fails',
  P3: 'no page is stored twice, or fetched after it was acknowledged',
  P4: 'files hold what was committed and nothing else',
  P5: 'never two agents on a site, never two requests within its delay',
  P6: 'an agent that has lost a site cannot commit anything for it',
  P7: 'the crawl ends',
  P8: 'same seed, same history',
  P9: 'robots.txt is obeyed',
  D16: 'sites of a failed agent are granted before all others',
  bug: 'no agent fails because of a bug',
}

/** The violation, the history that led to it, and the `command` that repeats the run. */
export function explain({ options, result }: Shrunk, command: string): string {
  const { violations, history, faults } = result
  const { promise, what, about, after } = violations[0]
  const lines = history.about(about, after)
  return [
    `${promise} is broken: ${PROMISES[promise]}`,
    `  ${what}`,
    `to repeat the run: ${command}`,
    `it still fails with ${options.agents} agents, ${options.sites} sites, ${result.pages} pages and ${faults.length} faults;`,
    `what led to it${about.length > 0 ? ` (${about.join(', ')})` : ''}, in virtual time:`,
    ...(lines.length > MOST_LINES ? [`  … ${lines.length - MOST_LINES} lines before`] : []),
    ...lines.slice(-MOST_LINES),
  ].join('\n')
}
