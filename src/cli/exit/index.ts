/**
 * cli/exit/: how a command ends. In: signals, `--timeout`, a terminal that is closed. Out: an exit code.
 */
export { EXIT } from './exit-codes.js'
export {
  type CommandLimits,
  InterruptedError,
  interruptible,
  readerLeft,
  untilAborted,
} from './interruption.js'
export { onEndSignal, outliveTerminal } from './signals.js'
