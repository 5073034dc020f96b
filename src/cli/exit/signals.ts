/** Signals that ask a command to end, and a terminal or reader that is gone while it runs. */
import { isatty } from 'node:tty'

/** Ctrl-C, `kill`, and a terminal that is closed. */
export const END_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Calls `end` at each of these signals; returns the function that ends this. */
export function onEndSignal(end: (signal: NodeJS.Signals) => void): () => void {
  for (const signal of END_SIGNALS) process.on(signal, end)
  return () => {
    for (const signal of END_SIGNALS) process.off(signal, end)
  }
}

const STDOUT = 1
const STDIO = [0, STDOUT, 2] as const

/**
 * For the whole run of a command. `onReaderLeft` is called when the reader of stdout leaves (`| head`);
 * nobody has to read stderr for a crawl to go on.
 */
export function outliveTerminal(onReaderLeft: () => void): void {
  const terminals = STDIO.filter(fd => isatty(fd))
  process.stdout.on('error', error => {
    const { code } = error as NodeJS.ErrnoException
    // EIO of a file is a disk that fails.
    if (code !== 'EPIPE' && !(code === 'EIO' && terminals.includes(STDOUT))) throw error
    onReaderLeft()
  })
  process.stderr.on('error', () => {})
  process.once('exit', code => {
    if (terminals.every(fd => isatty(fd))) return
    // Node aborts when it cannot give a terminal its settings back: the other listeners have their turn, then
    // the signal that a lost terminal sends ends the process.
    for (const listener of process.listeners('exit')) listener.call(process, code)
    process.removeAllListeners('SIGHUP')
    process.kill(process.pid, 'SIGHUP')
  })
}
