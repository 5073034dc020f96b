/** The real command as a child process, as a user would run it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const BIN = fileURLToPath(new URL('../../bin/orbweaver.js', import.meta.url))
/** The same program, composed with faulty ports (`test/kit/faults/`). */
const FAULTY_BIN = fileURLToPath(new URL('../../dist/faults/main.js', import.meta.url))

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunningCommand {
  readonly process: ChildProcess
  /** What it has said on stderr so far. */
  said(): string
  readonly ended: Promise<Ended>
}

export function start(
  args: readonly string[],
  env: Record<string, string> = {},
  cwd = tmpdir(),
): RunningCommand {
  const isFaulty = { ...process.env, ...env }.ORBWEAVER_FAULTS !== undefined
  const child = spawn(process.execPath, [isFaulty ? FAULTY_BIN : BIN, ...args], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', chunk => {
    stdout += chunk
  })
  child.stderr.on('data', chunk => {
    stderr += chunk
  })
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, stdout, stderr }))
  return { process: child, said: () => stderr, ended }
}

export function orbweaver(
  args: readonly string[],
  env: Record<string, string> = {},
  cwd?: string,
): Promise<Ended> {
  return start(args, env, cwd).ended
}

export function temporary(name: string): string {
  return join(mkdtempSync(join(tmpdir(), 'orbweaver-test-')), name)
}

/** Flags that every crawl of a generated web needs. */
export const GENERATED = [
  '--scope',
  'any',
  '--resolve',
  '*.test=127.0.0.1',
  '--delay',
  '0',
  '--contact',
  'https://example.org/',
]
