/** A session in the terminal: signals, progress, the summary at the end. */
import type { CrawlConfig } from '../config/index.js'
import type { Clock } from '../model/index.js'
import type { Report } from '../report/index.js'
import type { CrawlSession } from '../runtime/session/index.js'
import { boundHeap } from '../runtime/threads/index.js'
import { EXIT, onEndSignal } from './exit/index.js'
import { ProgressDisplay, printJson, summaryOf, tell } from './output/index.js'

/** Runs the session with signals, progress and summary; the result is the exit code. */
export async function watch(
  clock: Clock,
  session: CrawlSession,
  directory: string,
  json: boolean,
): Promise<number> {
  boundHeap()
  const display = await ProgressDisplay.start(clock, process.stderr, () => session.progress())
  const unsubscribe = onEndSignal(signalHandler(session, display))
  let report: Report
  try {
    report = await session.run(line => display.say(`orbweaver: ${line}`))
  } finally {
    display.stop()
    unsubscribe()
  }
  tell(summaryOf(report, directory, session.config))
  if (json) printJson(report)
  return exitCodeOf(report)
}

/**
 * The first signal seals and stops, the second stops at once: nothing acknowledged is lost either way. When a
 * terminal is closed, shell and kernel both send SIGHUP, so a SIGHUP never counts as the second.
 */
function signalHandler(session: CrawlSession, display: ProgressDisplay): (signal: NodeJS.Signals) => void {
  let signals = 0
  return signal => {
    if (++signals > 1 && signal === 'SIGHUP') return
    if (signals > 1) process.exit(EXIT.interrupted)
    display.say('stopping: storing what was fetched; a second signal stops at once')
    session.stop()
  }
}

function exitCodeOf(report: Report): number {
  if (report.damaged.length > 0) return EXIT.damaged
  if (report.finishReason === 'stopped') return EXIT.interrupted
  if (report.pages === 0) return EXIT.noPage
  return EXIT[report.finishReason]
}

export function warnOfRobots(config: CrawlConfig): void {
  if (config.robots === 'ignore')
    process.stderr.write(
      'orbweaver: --robots ignore: robots.txt is not read; only do this to your own sites\n',
    )
}
