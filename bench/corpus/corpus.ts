import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * One site of a corpus: a folder of files served on a loopback address of its own, so that no DNS is needed.
 */
export interface Host {
  readonly address: string
  readonly folder: string
  /** Path of the page from which every other one is reached without leaving the host. */
  readonly start: string
  /** Path and query of every HTML page a complete crawl of the host must fetch, normalised. */
  readonly pages: ReadonlySet<string>
  /** Path to location: not files, so the server has to know them. */
  readonly redirects: ReadonlyMap<string, string>
}

/** The same pages for every crawler. */
export interface Corpus {
  readonly name: string
  readonly hosts: readonly Host[]
}

/** The same in every run, for absolute links stand in the files. */
export const PORT = 8610

/** Corpora are made once and kept outside the repository. */
export const CACHE = join(tmpdir(), 'orbweaver-bench')

export function seedsOf(corpus: Corpus): string[] {
  return corpus.hosts.map(host => `http://${host.address}:${PORT}${host.start}`)
}

export function pagesOf(corpus: Corpus): number {
  return corpus.hosts.reduce((sum, host) => sum + host.pages.size, 0)
}

/** The smallest hosts, together at most `pages`: enough for a crawler that needs long. */
export function smaller(corpus: Corpus, pages: number): Corpus {
  const hosts: Host[] = []
  let sum = 0
  for (const host of corpus.hosts.toSorted((a, b) => a.pages.size - b.pages.size)) {
    sum += host.pages.size
    if (sum > pages) break
    hosts.push(host)
  }
  return { name: corpus.name, hosts }
}

/** Where the answer to a request for `target` (path and query) lies: queries are part of the file's name. */
export function fileOf(folder: string, target: string): string {
  const query = target.indexOf('?')
  const path = decodeURIComponent(query < 0 ? target : target.slice(0, query))
  if (query >= 0) return join(folder, path + target.slice(query))
  return join(folder, path.endsWith('/') ? `${path}index.html` : path)
}
