import type { ChildProcess } from 'node:child_process'
import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { PORT } from '../corpus/corpus.js'
import { WEB } from '../corpus/generated.js'
import { spawnOwned } from '../measure/owned-child.js'
import { ORBWEAVER } from '../paths.js'
import { answering, ended } from './child-server.js'
import type { LoggedRequest, PageServer } from './page-server.js'

/** Longer than the server keeps lines to itself. */
const LOG_FLUSH_MS = 500

/** One line of its log, as far as it matters here. */
interface LogLine {
  readonly site: string
  readonly method: string
  readonly path: string
  readonly status: number
}

/**
 * `orbweaver web`, for machines without nginx: serves the generated pages only, and makes them while it
 * serves.
 */
export class OrbweaverWeb implements PageServer {
  readonly kind = 'orbweaver web'
  readonly #folder: string
  readonly #process: ChildProcess

  private constructor(folder: string, process: ChildProcess) {
    this.#folder = folder
    this.#process = process
  }

  static async start(): Promise<OrbweaverWeb> {
    const folder = await mkdtemp(join(tmpdir(), 'orbweaver-web-'))
    const log = join(folder, 'requests.jsonl')
    await writeFile(log, '')
    const size = ['--sites', WEB.sites, '--pages', WEB.pages, '--seed', WEB.seed].map(String)
    const flags = ['web', '--addresses', '--port', String(PORT), '--log', log, ...size]
    const child = spawnOwned([process.execPath, ORBWEAVER, ...flags], { stdio: 'ignore' })
    await answering(child, 'orbweaver web', `http://127.0.1.1:${PORT}/`)
    return new OrbweaverWeb(folder, child)
  }

  async requests(): Promise<LoggedRequest[]> {
    await sleep(LOG_FLUSH_MS)
    const lines = (await readFile(join(this.#folder, 'requests.jsonl'), 'utf8')).split('\n')
    return lines.filter(line => line !== '').map(requestOf)
  }

  async forgetRequests(): Promise<void> {
    await sleep(LOG_FLUSH_MS)
    await truncate(join(this.#folder, 'requests.jsonl'), 0)
  }

  async stop(): Promise<void> {
    await ended(this.#process)
    await rm(this.#folder, { recursive: true, force: true })
  }
}

function requestOf(line: string): LoggedRequest {
  const { site, method, path, status }: LogLine = JSON.parse(line)
  return { address: site.replace(/:\d+$/, ''), method, target: path, status }
}
