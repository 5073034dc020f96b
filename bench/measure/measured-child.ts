import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawnOwned } from './owned-child.js'
import { childrenOf, peakRssOf } from './peak-rss.js'

/** What a command cost, its children included. */
export interface Usage {
  readonly exitCode: number
  readonly cpuSeconds: number
  readonly wallSeconds: number
  readonly peakRssBytes: number
  readonly stderr: string
}

const SAMPLE_MS = 50

/** bash takes the times of its children from the kernel when they end, to the millisecond. */
const TIMED = 'TIMEFORMAT="%3U %3S %3R"; time timeout --foreground -s KILL "$@" >/dev/null 2>stderr'

/**
 * Runs a command to its end, or to its deadline: what it did by then still counts. It runs in a folder of its
 * own that is deleted afterwards.
 */
export async function runMeasured(command: readonly string[], deadlineSeconds: number): Promise<Usage> {
  const folder = await mkdtemp(join(tmpdir(), 'orbweaver-run-'))
  try {
    const child = spawnOwned(['bash', '-c', TIMED, 'bash', String(deadlineSeconds), ...command], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let report = ''
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      report += text
    })
    let peakRssBytes = 0
    const timer = setInterval(() => {
      // Below bash and `timeout`, whose few megabytes are ours.
      const command = childrenOf(child.pid ?? 0).flatMap(childrenOf)
      peakRssBytes = Math.max(peakRssBytes, ...command.map(peakRssOf))
    }, SAMPLE_MS)
    const exitCode = await new Promise<number>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', code => resolve(code ?? -1))
    }).finally(() => clearInterval(timer))
    const [userSeconds = Number.NaN, systemSeconds = Number.NaN, wallSeconds = Number.NaN] = timesOf(report)
    const stderr = await readFile(join(folder, 'stderr'), 'utf8')
    return { exitCode, cpuSeconds: userSeconds + systemSeconds, wallSeconds, peakRssBytes, stderr }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The last line; bash may have said something about a killed command before it. */
function timesOf(report: string): number[] {
  return (report.trim().split('\n').at(-1) ?? '').split(' ').map(Number)
}
