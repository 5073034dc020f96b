import type { Corpus } from '../corpus/corpus.js'

/** A request as the server saw it. */
export interface LoggedRequest {
  readonly address: string
  readonly method: string
  /** Path and query as sent. */
  readonly target: string
  readonly status: number
}

/** Port: serves corpora on loopback and remembers every request. */
export interface PageServer {
  /** Name and version, for the report. */
  readonly kind: string
  /** What was asked since `forgetRequests`. */
  requests(): Promise<LoggedRequest[]>
  forgetRequests(): Promise<void>
  stop(): Promise<void>
}

export interface Coverage {
  /** Distinct pages of the corpus that were answered with 200. */
  readonly covered: number
  /** Requests of any kind, robots.txt, mistakes and repeats included. */
  readonly requests: number
}

/** By the server's word, not the crawler's. */
export function coverageOf(corpus: Corpus, requests: readonly LoggedRequest[]): Coverage {
  const hosts = new Map(corpus.hosts.map(host => [host.address, host]))
  const covered = new Set<string>()
  for (const { address, method, target, status } of requests) {
    const isPage = status === 200 && method === 'GET' && hosts.get(address)?.pages.has(target)
    if (isPage) covered.add(address + target)
  }
  return { covered: covered.size, requests: requests.length }
}
