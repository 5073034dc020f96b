/** The experiments, one line each, in the order in which `orbweaver experiment --help` lists them. */
import type { Command } from 'commander'
import { crawlAssignments } from '../compose/assignment-crawls.js'
import { findGpmetis } from '../compose/gpmetis.js'
import { crawlInPhases } from '../compose/phases-crawl.js'
import {
  assignmentsExperiment,
  hypergraphExperiment,
  phasesExperiment,
  sireExperiment,
} from '../simulate/experiments/index.js'
import type { Say } from './commands.js'
import { dynamicBalanceCommand } from './dynamic-balance.js'
import { paperCommand } from './paper-experiment.js'

export const EXPERIMENTS: readonly ((say: Say) => Command)[] = [
  dynamicBalanceCommand,
  say => paperCommand(hypergraphExperiment(findGpmetis), say),
  say => paperCommand(sireExperiment, say),
  say => paperCommand(assignmentsExperiment(crawlAssignments), say),
  say => paperCommand(phasesExperiment(crawlInPhases), say),
]
