/** `orbweaver experiment NAME`: repeats a paper's experiment and prints our figures beside its own. */
import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { ConfigError } from '../config/index.js'
import { packageFile } from '../model/bytes/index.js'
import type { Say } from './commands.js'

interface Experiments {
  experimentCommand(say: Say): Command
}

/** The experiments are not part of the installed package (`files` in package.json). */
export async function experimentCommand(say: Say): Promise<Command> {
  const entry = packageFile('dist/experiments/main.js')
  if (!existsSync(entry))
    throw new ConfigError(
      'experiments run from a clone of the repository: in it, `npm ci && npx orbweaver experiment NAME`',
    )
  const experiments: Experiments = await import(entry.href)
  return experiments.experimentCommand(say)
}
