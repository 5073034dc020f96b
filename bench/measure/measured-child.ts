import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { childrenOf, peakRssOf } from './peak-rss.js'

/** What a command cost, its children included. */
export interface Usage {
  readonly exitCode: number
  readonly cpuSeconds: number
  readonly wallSeconds: number
  readonly peakRssBytes: number
  readonly stdout: string
  readonly stderr: string
}

const SAMPLE_MS = 50

/** bash takes the times of its children from the kernel when they end, to the millisecond. */
const TIMED = 'TIMEFORMAT="%3U %3S %3R"; time timeout --foreground -s KILL "$@" >stdout 2>stderr'

/**
 * Runs a command to its end, or to its deadline: what it did by then still counts. It runs in a folder of its own
 * that is deleted afterwards; what it prints goes to files there, so that reading it costs nobody time.
 */
export async function runMeasured(command: readonly string[], deadlineSeconds: number): Promise<Usage> {
  const folder = await mkdtemp(join(tmpdir(), 'orbweaver-run-'))
  try {
    const child = spawn('bash', ['-c', TIMED, 'bash', String(deadlineSeconds), ...command], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let report = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
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
    const stdout = await readFile(join(folder, 'stdout'), 'utf8')
    const stderr = await readFile(join(folder, 'stderr'), 'utf8')
    return { exitCode, cpuSeconds: userSeconds + systemSeconds, wallSeconds, peakRssBytes, stdout, stderr }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The last line; bash may have said something about a killed command before it. */
function timesOf(report: string): number[] {
  return (report.trim().split('\n').at(-1) ?? '').split(' ').map(Number)
}
