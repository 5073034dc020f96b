/** What tests of the fetcher start, and what is closed after each of them; to import it is enough. */
import { afterEach, beforeEach } from 'vitest'
import { systemClock } from '../../src/compose/index.js'
import { CachingResolver } from '../../src/page/fetch/dns/index.js'
import {
  type FetchRequest,
  type FetchResult,
  HttpFetcher,
  type HttpFetcherOptions,
} from '../../src/page/fetch/index.js'
import { type Answer, RawServer } from './raw-server.js'

const closers: (() => Promise<void>)[] = []

/** Never aborted; another one for each test, so that listeners do not add up. */
export let signal = new AbortController().signal

beforeEach(() => {
  signal = new AbortController().signal
})

afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

export function fetcherWith(options: Partial<HttpFetcherOptions> = {}): HttpFetcher {
  const clock = options.clock ?? systemClock
  const fetcher = new HttpFetcher({
    clock,
    resolver: new CachingResolver({ clock }),
    userAgent: 'test/1',
    allowPrivate: true,
    ...options,
  })
  closers.push(() => fetcher.close())
  return fetcher
}

export async function serverSaying(answer: Answer | string): Promise<RawServer> {
  const server = await RawServer.start(answer)
  closers.push(() => server.close())
  return server
}

/** One request to a server that says `answer`. */
export async function ask(
  answer: Answer | string,
  request: Partial<FetchRequest> = {},
  options: Partial<HttpFetcherOptions> = {},
): Promise<FetchResult> {
  const server = await serverSaying(answer)
  return fetcherWith(options).fetch({ url: `${server.origin}/page?q=1`, ...request }, signal)
}

/** A page with its length. */
export const ok = (body: string, headers = ''): string =>
  `HTTP/1.1 200 OK\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`
