/** Servers for the contract of fetchers: one that has pages with validators, and one that never ends. */
import type { StoredPage } from '../contract/fetcher-contract.js'
import { RawServer } from './raw-server.js'

export const MODIFIED = 'Sat, 15 Nov 2025 20:00:00 GMT'

/** Answers conditional requests. With `host`, only requests for that host. */
export function pageServer(pages: readonly StoredPage[], host?: string): Promise<RawServer> {
  const byPath = new Map(pages.map(page => [page.path, page]))
  return RawServer.start((socket, request) => {
    const [, path = ''] = /^GET (\S+)/.exec(request) ?? []
    const page = byPath.get(path)
    const isRight = host === undefined || request.includes(`\r\nHost: ${host}\r\n`)
    if (page === undefined || !isRight) {
      socket.write('HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\nno')
      return
    }
    const etag = `"${page.body.length}"`
    const lines = `ETag: ${etag}\r\nLast-Modified: ${MODIFIED}\r\n`
    if (isKnown(request, etag)) {
      socket.write(`HTTP/1.1 304 Not Modified\r\n${lines}\r\n`)
      return
    }
    socket.write(
      `HTTP/1.1 200 OK\r\nContent-Type: ${page.type}\r\n${lines}Content-Length: ${page.body.length}\r\n\r\n`,
    )
    socket.write(page.body)
  })
}

function isKnown(request: string, etag: string): boolean {
  const [, matched] = /\r\nIf-None-Match: (.*)\r\n/.exec(request) ?? []
  const [, since] = /\r\nIf-Modified-Since: (.*)\r\n/.exec(request) ?? []
  if (matched !== undefined) return matched === etag
  return since !== undefined && Date.parse(since) >= Date.parse(MODIFIED)
}

/** Sends the head of a page and its first bytes. */
export function slowServer(): Promise<RawServer> {
  return RawServer.start(
    'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 1000000\r\n\r\n<html>',
  )
}
