/** `orbweaver experiment NAME`: does a paper's experiment again and prints our figures beside its own. */
import { Command } from 'commander'
import type { Say } from './commands.js'
import { EXPERIMENTS } from './experiments.js'

export function experimentCommand(say: Say): Command {
  const command = new Command('experiment')
  for (const each of EXPERIMENTS) command.addCommand(each(say))
  return command
}
