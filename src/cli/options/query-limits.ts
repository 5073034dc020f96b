/** Flags that bound what a query, or the queries of an export, may take. */
import type { Command } from 'commander'
import { bytes, checked, count, positive } from '../../config/index.js'
import { defaultMemoryBytes, type QueryLimits } from '../../data/query/index.js'
import type { CommandLimits } from '../exit/index.js'
import { size } from '../output/index.js'

export interface LimitFlags {
  readonly timeout?: string
  readonly memory?: string
  readonly spill?: string
  readonly threads?: string
}

/** A longer timer of Node fires at once. */
const MOST_SECONDS = 2_000_000
const MOST_THREADS = 256

export function withLimits(command: Command): Command {
  return command
    .option('--timeout <seconds>', 'end the command after this many seconds (default: no limit)')
    .option(
      '--memory <size>',
      `memory for DuckDB, such as 500M or 2Gi; more goes to temporary files (default: ${size(defaultMemoryBytes())})`,
    )
    .option(
      '--spill <size>',
      'maximum size of temporary files; 0: none (default: half of the free disk space)',
    )
    .option(
      '--threads <n>',
      'threads for DuckDB (default: 4, or the number of processors if that is smaller)',
    )
}

/** Throws a ConfigError. */
export function readLimits(flags: LimitFlags): QueryLimits & CommandLimits {
  const { timeout, memory, spill, threads } = flags
  return checked(() => ({
    timeoutSeconds: timeout === undefined ? undefined : seconds(timeout),
    memoryBytes: memory === undefined ? defaultMemoryBytes() : bytes(memory, '--memory'),
    spillBytes: spill === undefined ? undefined : spill.trim() === '0' ? 0 : bytes(spill, '--spill'),
    threads: threads === undefined ? undefined : count(1, MOST_THREADS)(threads, '--threads'),
  }))
}

function seconds(text: string): number {
  const read = positive(text, '--timeout')
  if (read > MOST_SECONDS) throw new TypeError(`--timeout must be at most ${MOST_SECONDS}`)
  return read
}
