/**
 * Handles signals that ask a command to end, and a terminal or a reader of stdout that disappears while it
 * runs.
 */
import { isatty } from 'node:tty'

/** Ctrl-C, `kill`, and a terminal that is closed. */
export const END_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Calls `end` at each of these signals; returns the function that unsubscribes. */
export function onEndSignal(end: (signal: NodeJS.Signals) => void): () => void {
  for (const signal of END_SIGNALS) process.on(signal, end)
  return () => {
    for (const signal of END_SIGNALS) process.off(signal, end)
  }
}

const STDOUT = 1
const STDIO = [0, STDOUT, 2] as const

/**
 * Keeps a command alive when its terminal disappears. Calls `onReaderLeft` when the reader of stdout closes
 * it, as `head` does; a closed stderr is ignored.
 */
export function outliveTerminal(onReaderLeft: () => void): void {
  const terminals = STDIO.filter(fd => isatty(fd))
  process.stdout.on('error', error => {
    const { code } = error as NodeJS.ErrnoException
    // If stdout is a file, EIO means that the disk fails.
    if (code !== 'EPIPE' && !(code === 'EIO' && terminals.includes(STDOUT))) throw error
    onReaderLeft()
  })
  process.stderr.on('error', () => {})
  process.once('exit', code => {
    if (terminals.every(fd => isatty(fd))) return
    // Node aborts at exit if it cannot restore the settings of a terminal. So the other listeners run first,
    // and then the process ends by SIGHUP, the signal for a lost terminal.
    for (const listener of process.listeners('exit')) listener.call(process, code)
    process.removeAllListeners('SIGHUP')
    process.kill(process.pid, 'SIGHUP')
  })
}
