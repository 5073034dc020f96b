/**
 * A web of oddities that real ones are full of, each said byte by byte: what is asked for is what a browser
 * would ask for, and every page behind them is found.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { orbweaver, temporary } from '../kit/orbweaver.js'
import { RawServer } from '../kit/raw-server.js'

const HTML = 'HTTP/1.1 200 OK\r\nContent-Type: text/html'

function said(head: string, body: string): string {
  return `${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

function redirect(status: number, location: string): string {
  return said(`HTTP/1.1 ${status} Moved\r\nLocation: ${location}`, '<a href=/in-redirect>no</a>')
}

/** Latin-1 texts: bytes as they are sent. */
const ANSWERS: Readonly<Record<string, string>> = {
  '/': said(
    HTML,
    ['moved', 'chain', 'loop', 'self', 'frag', 'win', 'x.xhtml', 'early', 'trailers', 'lf', 'folded', 'none']
      .map(name => `<a href="/${name}">`)
      .join(''),
  ),
  '/moved': redirect(302, '/\xc3\xa9?\xc3\xbc'),
  '/chain': redirect(301, 'chain-2?x=1'),
  '/chain-2?x=1': redirect(307, '  /chain-3  '),
  '/chain-3': redirect(308, '/chain-4#part'),
  '/loop': redirect(302, '/loop-2'),
  '/loop-2': redirect(303, '/loop'),
  '/self': redirect(302, ''),
  '/win': said(`${HTML}; charset=windows-1251`, '<a href="/\xcf?q=\xcf">'),
  '/x.xhtml': said(
    'HTTP/1.1 200 OK\r\nContent-Type: application/xhtml+xml',
    '<?xml version="1.0"?><html><head><title/><script src="/s.js"/></head><body><a href="/in-xhtml"/></body></html>',
  ),
  '/early': `HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n${said(HTML, '<a href=/after-hints>')}`,
  '/trailers': `${HTML}\r\nTransfer-Encoding: chunked\r\n\r\n7;a="b"\r\n<a href\r\n11\r\n=/after-trailers>\r\n0\r\nX: y\r\n\r\n`,
  '/lf': 'HTTP/1.1 200 OK\nContent-Type: text/html\nContent-Length: 18\n\n<a href=/after-lf>',
  '/folded': said('HTTP/1.1 200 OK\r\nContent-Type: text/html;\r\n charset=utf-8', '<a href=/after-fold>'),
  '/none': said('HTTP/1.1 200 OK', '<!doctype html><a href=/untyped>'),
}

let server: RawServer
beforeAll(async () => {
  server = await RawServer.start((socket, request) => {
    const path = request.split(' ')[1] ?? ''
    socket.write(ANSWERS[path] ?? said(HTML, '<title>leaf</title>'), 'latin1')
  })
})
afterAll(() => server.close())

describe('a web of odd redirects, encodings and answers', () => {
  it('is asked for exactly what a browser would ask for, each once', async () => {
    const flags = ['--allow-private', '--delay', '0', '--contact', 'https://example.org/']
    const crawled = await orbweaver(['crawl', `${server.origin}/`, ...flags, '--out', temporary('odd')])
    expect(crawled.code, crawled.stderr).toBe(0)
    const asked = server.requests.map(request => request.split(' ')[1])
    const behind =
      '%C3%A9?%C3%BC chain-4 loop-2 chain-2?x=1 chain-3 %D0%9F?q=%CF in-xhtml after-hints after-trailers after-lf after-fold untyped'
    const expected = [
      '/robots.txt',
      ...Object.keys(ANSWERS),
      '/frag',
      ...behind.split(' ').map(path => `/${path}`),
    ]
    expect(asked.sort()).toEqual([...new Set(expected)].sort())
  })
})
