import { type ChildProcess, spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Corpus, PORT } from '../corpus/corpus.js'
import { spawnOwned } from '../measure/owned-child.js'
import { answering, ended } from './child-server.js'
import type { LoggedRequest, PageServer } from './page-server.js'

/** Longer than the flush interval of the log below. */
const LOG_FLUSH_MS = 400

/** nginx with one worker, on loopback only, serving each host's folder on the host's address. */
export class NginxServer implements PageServer {
  readonly kind: string
  readonly #folder: string
  readonly #process: ChildProcess

  private constructor(kind: string, folder: string, process: ChildProcess) {
    this.kind = kind
    this.#folder = folder
    this.#process = process
  }

  /** Version text, or undefined when nginx is not installed. */
  static installed(): string | undefined {
    const { status, stderr } = spawnSync(binary(), ['-v'], { encoding: 'utf8' })
    return status === 0 ? stderr.trim().replace('nginx version: ', '') : undefined
  }

  static async start(corpora: readonly Corpus[]): Promise<NginxServer> {
    const hosts = corpora.flatMap(corpus => corpus.hosts)
    const folder = await mkdtemp(join(tmpdir(), 'orbweaver-nginx-'))
    await writeFile(join(folder, 'nginx.conf'), configuration(folder))
    await writeFile(join(folder, 'hosts.conf'), hostBlocks(corpora))
    const command = [
      binary(),
      '-p',
      folder,
      '-c',
      join(folder, 'nginx.conf'),
      '-e',
      join(folder, 'error.log'),
    ]
    const child = spawnOwned(command, { stdio: ['ignore', 'ignore', 'inherit'] })
    await answering(child, 'nginx', `http://${hosts[0].address}:${PORT}/`)
    return new NginxServer(NginxServer.installed() ?? 'nginx', folder, child)
  }

  async requests(): Promise<LoggedRequest[]> {
    await sleep(LOG_FLUSH_MS)
    const lines = (await readFile(join(this.#folder, 'access.log'), 'latin1')).split('\n')
    return lines.filter(line => line !== '').map(requestOf)
  }

  async forgetRequests(): Promise<void> {
    await sleep(LOG_FLUSH_MS)
    await truncate(join(this.#folder, 'access.log'), 0)
  }

  async stop(): Promise<void> {
    await ended(this.#process)
    await rm(this.#folder, { recursive: true, force: true })
  }
}

/** Debian keeps it where only root's PATH looks. */
function binary(): string {
  return spawnSync('nginx', ['-v']).error === undefined ? 'nginx' : '/usr/sbin/nginx'
}

function requestOf(line: string): LoggedRequest {
  const [address, status, method, ...target] = line.split(' ')
  return { address, method, target: target.join(' '), status: Number(status) }
}

/** No cache of open files: with more files than descriptors it makes nginx answer 500. */
function configuration(folder: string): string {
  return `
daemon off;
master_process off;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log error;
events { worker_connections 8192; }
http {
  log_format bench '$server_addr $status $request_method $request_uri';
  access_log ${folder}/access.log bench buffer=64k flush=200ms;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  default_type text/html;
  types {
    text/plain txt; text/css css; text/javascript js; application/json json;
    application/pdf pdf; application/xml xml; image/png png;
  }
  sendfile on;
  tcp_nopush on;
  absolute_redirect off;
  keepalive_requests 100000000;
  keepalive_timeout 300;
  map_hash_max_size 65536;
  map_hash_bucket_size 256;
  map $uri $asked { default $uri$is_args$args; }
  map $uri $home { ~/$ $\{uri}index.html; default /nothing; }
  include hosts.conf;
}
`
}

function hostBlocks(corpora: readonly Corpus[]): string {
  const hosts = corpora.flatMap(corpus => corpus.hosts)
  const moved = hosts.flatMap(({ address, redirects }) =>
    Array.from(redirects, ([from, to]) => `"${address}${from}" "${to}";`),
  )
  const rules = 'if ($moved) { return 301 $moved; } location / { try_files $asked $uri $home =404; }'
  const servers = hosts.map(
    ({ address, folder }) => `server { listen ${address}:${PORT}; root "${folder}"; ${rules} }`,
  )
  return [`map $server_addr$request_uri $moved { default "";`, ...moved, '}', ...servers].join('\n')
}
