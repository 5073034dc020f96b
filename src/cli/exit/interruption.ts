/**
 * What ends a command that may run for long: a signal, `--timeout`, too much memory, a reader that leaves.
 * The command is told by an AbortSignal and has a moment to let go. After that the process ends by a signal
 * of its own: `process.exit` would wait for DuckDB, which does not leave a single long call of a function.
 */
import { systemClock as clock } from '../../compose/index.js'
import type { Interruption } from '../../data/query/index.js'
import { LIMITS } from '../../model/index.js'
import { duration, size, tell } from '../output/index.js'
import { EXIT } from './exit-codes.js'
import { END_SIGNALS, onEndSignal } from './signals.js'

/** `message` is one line for the user; empty: nothing is said. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError'
  readonly exitCode: number

  constructor(message: string, exitCode: number = EXIT.interrupted) {
    super(message)
    this.exitCode = exitCode
  }
}

export interface CommandLimits {
  readonly timeoutSeconds?: number | undefined
  /** The process may be twice as large, and a fixed part more: DuckDB does not count everything. */
  readonly memoryBytes?: number | undefined
}

const GRACE_MS = 1_000
const WATCH_MS = 100

type Interrupt = (reason: InterruptedError, signal: NodeJS.Signals) => void

/** The command under way that can be told to end. */
let current: Interrupt | null = null

/** Runs `work`, whose signal's reason is an InterruptedError. */
export async function interruptible<T>(
  limits: CommandLimits,
  work: (interruption: Interruption) => Promise<T>,
): Promise<T> {
  const stop = new AbortController()
  let endGrace = () => {}
  const interrupt: Interrupt = (reason, signal) => {
    if (stop.signal.aborted) return
    stop.abort(reason)
    endGrace = clock.after(GRACE_MS, () => endAtOnce(reason, signal))
  }
  const onSignal = (signal: NodeJS.Signals) => interrupt(new InterruptedError('interrupted'), signal)
  const unsubscribe = onEndSignal(onSignal)
  current = interrupt
  const unwatch = watchLimits(limits, interrupt)
  try {
    return await work({ signal: stop.signal, clock })
  } finally {
    unwatch()
    endGrace()
    current = null
    unsubscribe()
  }
}

/** For work that can be left as it is: nothing of it has to be put in order. */
export function untilAborted({ signal }: Interruption): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

/** A reader that leaves early (`| head`) is not an error. */
export function readerLeft(): void {
  if (current === null) process.exit(process.exitCode ?? EXIT.done)
  current(new InterruptedError('', EXIT.done), 'SIGKILL')
}

/** Returns what takes the watch off. */
function watchLimits({ timeoutSeconds, memoryBytes }: CommandLimits, interrupt: Interrupt): () => void {
  const cancels = [timeoutSeconds === undefined ? null : watchTime(timeoutSeconds, interrupt)]
  if (memoryBytes !== undefined) cancels.push(watchMemory(memoryBytes, interrupt))
  return () => {
    for (const cancel of cancels) cancel?.()
  }
}

function watchTime(seconds: number, interrupt: Interrupt): () => void {
  const late = new InterruptedError(`not done after ${duration(seconds)} (--timeout)`)
  return clock.after(seconds * 1_000, () => interrupt(late, 'SIGTERM'))
}

function watchMemory(bytes: number, interrupt: Interrupt): () => void {
  const most = 2 * bytes + LIMITS.queryBaseBytes
  const advice = 'select fewer rows or columns, or raise --memory'
  const large = new InterruptedError(
    `the query takes more than ${size(most)} of memory; ${advice}`,
    EXIT.config,
  )
  let cancel = () => {}
  const look = () => {
    if (process.memoryUsage.rss() > most) interrupt(large, 'SIGTERM')
    cancel = clock.after(WATCH_MS, look)
  }
  look()
  return () => cancel()
}

function endAtOnce({ message }: InterruptedError, signal: NodeJS.Signals): void {
  if (message !== '') tell(`orbweaver: ${message}\n`)
  // Scratch folders are removed by listeners.
  process.emit('exit', EXIT.interrupted)
  for (const name of END_SIGNALS) process.removeAllListeners(name)
  process.kill(process.pid, signal)
}
