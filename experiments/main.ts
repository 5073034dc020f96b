/**
 * Entry point of the experiments, which compare our figures with the tables of the papers. They are built
 * into `dist/` but are not part of the installed package; `orbweaver experiment` loads them from a clone.
 */
import { Command } from 'commander'
import type { Say } from '../src/cli/index.js'
import { crawlAssignments } from './assignment-crawls.js'
import { assignmentsExperiment } from './assignments/index.js'
import { dynamicBalanceCommand } from './balance-command.js'
import { findGpmetis } from './gpmetis.js'
import { hypergraphExperiment } from './hypergraph/index.js'
import { paperCommand } from './paper-experiment.js'
import { phasesExperiment } from './phases/index.js'
import { crawlInPhases } from './phases-crawl.js'
import { sireExperiment } from './sire/index.js'

/** In the order of `orbweaver experiment --help`. */
const EXPERIMENTS: readonly ((say: Say) => Command)[] = [
  dynamicBalanceCommand,
  say => paperCommand(hypergraphExperiment(findGpmetis), say),
  say => paperCommand(sireExperiment, say),
  say => paperCommand(assignmentsExperiment(crawlAssignments), say),
  say => paperCommand(phasesExperiment(crawlInPhases), say),
]

export function experimentCommand(say: Say): Command {
  const command = new Command('experiment')
  for (const each of EXPERIMENTS) command.addCommand(each(say))
  return command
}
