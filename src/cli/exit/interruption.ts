/**
 * Interrupts a long command after a signal, `--timeout`, too much memory, or the end of the process that
 * reads its output. The command gets an AbortSignal and has `INTERRUPTION_GRACE_MS` to end. After that the
 * process kills itself with a signal: `process.exit` would wait for DuckDB, which cannot interrupt a single
 * long function call.
 */

import { systemClock as clock } from '../../compose/index.js'
import type { Interruption } from '../../data/query/index.js'
import { LIMITS } from '../../model/index.js'
import { INTERRUPTION_GRACE_MS, WATCH_MS } from '../limits.js'
import { duration, size, tell } from '../output/index.js'
import { EXIT } from './exit-codes.js'
import { END_SIGNALS, onEndSignal } from './signals.js'

/** `message` is one line for the user; if it is empty, nothing is printed. */
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
  /**
   * The memory limit of DuckDB. The process may use twice as much plus a fixed amount, because DuckDB does
   * not count all of its memory.
   */
  readonly memoryBytes?: number | undefined
}

type Interrupt = (reason: InterruptedError, signal: NodeJS.Signals) => void

/** Interrupts the running command; null while none runs. */
let current: Interrupt | null = null

/** Runs `work` with a signal that aborts with an InterruptedError. */
export async function interruptible<T>(
  limits: CommandLimits,
  work: (interruption: Interruption) => Promise<T>,
): Promise<T> {
  const stop = new AbortController()
  let endGrace = () => {}
  const interrupt: Interrupt = (reason, signal) => {
    if (stop.signal.aborted) return
    stop.abort(reason)
    endGrace = clock.after(INTERRUPTION_GRACE_MS, () => endAtOnce(reason, signal))
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

/** Rejects on an interruption. Race it against work that needs no clean-up. */
export function untilAborted({ signal }: Interruption): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

/** Ends the command without an error when the reader of stdout has closed it, as `head` does. */
export function readerLeft(): void {
  if (current === null) process.exit(process.exitCode ?? EXIT.done)
  current(new InterruptedError('', EXIT.done), 'SIGKILL')
}

/** Returns a function that ends the checks. */
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
