/** Serves the captures of an archive on a loopback port. Names are those of the Host header. */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Clock, fetchLimits, type MetaInfo, type Millis, Stop, sleep } from '../../model/index.js'
import { normaliseUrl } from '../../model/url/index.js'
import { BodyBudget } from '../../page/fetch/body/index.js'
import type { FetchResult } from '../../page/fetch/index.js'
import { ArchiveReader, type BuiltIndex, buildIndex, indexFile } from '../../page/source/archive/index.js'
import { LocalFetcher } from '../../page/source/local/index.js'
import { replyTo, type SnapshotReply } from './snapshot-reply.js'

export interface SnapshotOptions {
  readonly clock: Clock
  /** WARC files, as in `--source PREFIX=warc:PATTERN`. */
  readonly pattern: string
  readonly port: number
  /** Recorded latencies are multiplied by this; 0: answers come at once. */
  readonly latencyScale: number
}

export class SnapshotServer {
  readonly built: BuiltIndex
  readonly #options: SnapshotOptions
  readonly #folder: string
  readonly #reader: ArchiveReader
  readonly #fetcher: LocalFetcher
  readonly #server: Server
  readonly #closing = new Stop()
  #requests = 0
  #missing = 0

  private constructor(options: SnapshotOptions, folder: string, built: BuiltIndex) {
    const { clock, pattern } = options
    const limits = fetchLimits()
    this.built = built
    this.#options = options
    this.#folder = folder
    this.#reader = new ArchiveReader(indexFile(folder, pattern), clock, limits)
    const budget = new BodyBudget(limits.bodyBytesInFlight)
    this.#fetcher = new LocalFetcher(this.#reader, { clock, limits, budget })
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch(error => response.destroy(error as Error))
    })
  }

  /** Throws if there is no WARC file, or the port is taken. */
  static async listen(options: SnapshotOptions): Promise<SnapshotServer> {
    const folder = mkdtempSync(join(tmpdir(), 'orbweaver-snapshot-'))
    try {
      const built = await buildIndex(options.pattern, folder)
      if (built.files === 0) throw new Error(`no WARC file is at ${options.pattern}`)
      const snapshot = new SnapshotServer(options, folder, built)
      snapshot.#server.listen(options.port, '127.0.0.1')
      await once(snapshot.#server, 'listening')
      return snapshot
    } catch (error) {
      rmSync(folder, { recursive: true, force: true })
      throw error
    }
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  get counts(): { readonly requests: number; readonly missing: number } {
    return { requests: this.#requests, missing: this.#missing }
  }

  async close(): Promise<void> {
    this.#closing.abort()
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
    await this.#fetcher.close()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#requests++
    const known = knownTo(request)
    const { result, url } = await this.#find(urlsOf(request), known)
    if (result?.exchange === undefined) this.#missing++
    const waitMs = this.#latencyOf(url)
    if (waitMs > 0) await sleep(this.#options.clock, waitMs, this.#closing)
    const reply = replyTo(result, String(request.headers['accept-encoding'] ?? ''))
    result?.exchange?.settled?.()
    send(response, reply, request.method === 'HEAD')
  }

  /** The first of the URLs that the archive has. */
  async #find(
    urls: readonly string[],
    known: MetaInfo | undefined,
  ): Promise<{ readonly result: FetchResult | null; readonly url: string }> {
    for (const url of urls) {
      const result = await this.#fetcher.fetch({ url, known, holdsBody: true }, this.#closing)
      if (result.exchange !== undefined && result.exchange.medium !== 'none') return { result, url }
      if (result.exchange?.status === 301) return { result, url }
    }
    return { result: null, url: '' }
  }

  #latencyOf(url: string): Millis {
    const { latencyScale } = this.#options
    return latencyScale === 0 || url === '' ? 0 : this.#reader.recordedMs(url) * latencyScale
  }
}

/** A proxy request names its scheme. Otherwise https comes first: there http only redirects to it. */
function urlsOf({ url = '/', headers }: IncomingMessage): string[] {
  const texts = /^https?:/i.test(url)
    ? [url]
    : [`https://${headers.host ?? ''}${url}`, `http://${headers.host ?? ''}${url}`]
  return texts.flatMap(text => normaliseUrl(text) ?? [])
}

function knownTo({ headers }: IncomingMessage): MetaInfo | undefined {
  const etag = headers['if-none-match'] ?? ''
  const lastModified = headers['if-modified-since'] ?? ''
  if (etag === '' && lastModified === '') return undefined
  return { etag, lastModified, digest: '', storedAt: '', links: [] }
}

function send(response: ServerResponse, reply: SnapshotReply, isHead: boolean): void {
  response.sendDate = false
  response.writeHead(reply.status, reply.reason, [...reply.headers])
  if (isHead) response.end()
  else if (reply.breaksOff) response.write(reply.body, () => response.destroy())
  else response.end(reply.body)
}
