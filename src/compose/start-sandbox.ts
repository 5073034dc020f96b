/**
 * Starts the child process of a sandbox: Node with its permission model, so without files (but for its own
 * program), processes, threads and add-ons; without environment; and without network where the system allows
 * an unprivileged process to leave it (`unshare`, Linux).
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { packageFile } from '../model/bytes/index.js'
import type { ChildUsage, SandboxChild } from '../page/sandbox/index.js'
import {
  CHILD_HEAP_MB,
  CHILD_PAGE_BYTES,
  CHILD_STDERR_CHARS,
  CHILD_TICK_MS,
  CHILD_WASM_PAGES,
} from './limits.js'

/** Programs that run in a sandbox; `scripts/bundle.js` makes a file of each. */
export type SandboxProgram = 'guest-child'

const PERMISSION = process.allowedNodeEnvironmentFlags.has('--permission')
  ? '--permission'
  : '--experimental-permission'

export function startSandbox(program: SandboxProgram): SandboxChild {
  const file = fileURLToPath(packageFile(`dist/compose/${program}.cjs`))
  const node = [
    process.execPath,
    PERMISSION,
    `--allow-fs-read=${file}`,
    '--no-addons',
    '--no-warnings',
    '--disallow-code-generation-from-strings',
    `--max-old-space-size=${CHILD_HEAP_MB}`,
    '--max-semi-space-size=4',
    `--wasm-max-mem-pages=${CHILD_WASM_PAGES}`,
    file,
  ]
  const [command, ...args] = canLeaveNetwork() ? ['unshare', '-rn', ...node] : node
  // `TZ` keeps the child from looking for the time zone in files.
  return new NodeChild(
    spawn(command, args, { env: { TZ: 'UTC' }, cwd: '/', stdio: ['pipe', 'pipe', 'pipe'] }),
  )
}

let leavesNetwork: boolean | null = null

/** Whether a child of ours has no network; tried once. */
function canLeaveNetwork(): boolean {
  leavesNetwork ??=
    process.platform === 'linux' && spawnSync('unshare', ['-rn', 'true'], { stdio: 'ignore' }).status === 0
  return leavesNetwork
}

class NodeChild implements SandboxChild {
  readonly #process: ChildProcess
  /** Only Linux has /proc. */
  readonly #isWatched = process.platform === 'linux'

  constructor(child: ChildProcess) {
    this.#process = child
    // The crawl ends without waiting for the child, which ends with its input.
    child.unref()
    // A child that has ended takes no more input; its end is reported by itself.
    child.stdin!.on('error', () => {})
  }

  write(bytes: Buffer): void {
    this.#process.stdin!.write(bytes)
  }

  listen(onBytes: (bytes: Buffer) => void, onEnd: (detail: string) => void): void {
    const child = this.#process
    let said = ''
    let isOver = false
    child.stderr!.on('data', (text: Buffer) => {
      said = (said + text.toString('latin1')).slice(-CHILD_STDERR_CHARS)
    })
    child.stdout!.on('data', onBytes)
    const end = (detail: string) => {
      if (!isOver) onEnd(detail)
      isOver = true
    }
    child.on('error', error => end(`it could not be started: ${error.message}`))
    child.on('close', (code, signal) => end(reasonOf(code, signal, said)))
  }

  usage(): ChildUsage | null {
    const { pid } = this.#process
    if (!this.#isWatched || pid === undefined) return null
    try {
      // After the name, which may contain anything: fields 14 and 15 are CPU time, 24 resident pages.
      const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      return {
        cpuMs: (Number(fields[11]) + Number(fields[12])) * CHILD_TICK_MS,
        rssBytes: Number(fields[21]) * CHILD_PAGE_BYTES,
      }
    } catch {
      return null
    }
  }

  kill(): void {
    this.#process.kill('SIGKILL')
  }
}

function reasonOf(code: number | null, signal: NodeJS.Signals | null, said: string): string {
  const last = said.split('\n').find(line => /FATAL ERROR|Error:/.test(line))
  const how = signal === null ? `the child ended with code ${code}` : `the child was ended by ${signal}`
  return last === undefined ? how : `${how}: ${last.trim()}`
}
