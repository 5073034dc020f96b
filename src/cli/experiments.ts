/** The experiments, one line each, in the order in which `orbweaver experiment --help` lists them. */
import type { Command } from 'commander'
import { dynamicBalanceCommand } from './dynamic-balance.js'

export const EXPERIMENTS: readonly (() => Command)[] = [dynamicBalanceCommand]
