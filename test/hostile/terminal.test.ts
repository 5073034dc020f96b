/** What a server says must not speak to the user's terminal, nor fill it. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { LIMITS } from '../../src/model/index.js'
import { orbweaver, temporary } from '../kit/orbweaver.js'
import { RawServer } from '../kit/raw-server.js'

/** Clears the screen, sets the window's title, and the same in one byte as old terminals knew it. */
const ESCAPES = '\x1b[2J\x1b]0;owned\x07\x9b31m\x90'
/** Any control character but the end of a line. */
const ESCAPED = /[^\P{Cc}\n]/u

function answer(request: string): string {
  const target = request.split(' ', 2)[1]
  const page = (body: string, headers = '') =>
    `HTTP/1.1 200 OK\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`
  if (target === '/robots.txt')
    return page(`User-agent: *\nDisallow: /no # ${ESCAPES}${'long '.repeat(2_000)}\n`)
  if (target === '/status') return `HTTP/1.1 ${ESCAPES}\r\n\r\n`
  if (target === '/length') return `HTTP/1.1 200 OK\r\nContent-Length: ${ESCAPES}\r\n\r\n`
  if (target === '/coding') return page('\x1f\x9d???', 'Content-Encoding: compress\r\n')
  const links = ['/no', '/status', '/length', '/coding', '/type'].map(path => `<a href="${path}">x</a>`)
  return page(`<title>${ESCAPES}</title>${links.join('')}`, 'Content-Type: text/html\r\n')
}

it('escape sequences from a server reach neither the summary nor a query', async () => {
  const server = await RawServer.start((socket, request) => {
    // This one is loud before it tells its rules.
    if (/^host: mad\.test/im.test(request)) socket.write(`HTTP/1.1 ${ESCAPES}\r\n\r\n`, 'latin1')
    else socket.write(answer(request), 'latin1')
  })
  const out = temporary('crawl')
  const crawl = await orbweaver([
    ...[
      'crawl',
      'http://loud.test/',
      'http://mad.test/',
      '--delay',
      '0',
      '--tries',
      '1',
      '--contact',
      'https://example.org/',
    ],
    ...['--resolve', `*.test=127.0.0.1:${server.port}`, '--out', out],
  ])
  await server.close()
  const query = await orbweaver(['query', out, 'SELECT url, outcome, title FROM pages'])
  const report = JSON.parse(readFileSync(join(out, 'report.json'), 'utf8')) as {
    outcomes: Record<string, number>
    troubledSites: { detail: string }[]
  }
  const status = await orbweaver(['status', out])
  expect(crawl.code, crawl.stderr).toBe(12)
  expect(crawl.stderr).toContain('http://mad.test: robots.txt could not be read')
  expect(status.stdout).toContain('mad.test')
  expect(status.stdout).not.toMatch(ESCAPED)
  expect(report.outcomes).toMatchObject({ OK: 2, BAD_RESPONSE: 2, BAD_ENCODING: 1, ROBOTS_DISALLOWED: 1 })
  expect(crawl.stderr).toContain('ROBOTS_DISALLOWED')
  expect(crawl.stderr).not.toMatch(ESCAPED)
  expect(query.stdout).toContain('http://loud.test/no')
  expect(query.stdout).not.toMatch(ESCAPED)
  for (const { detail } of report.troubledSites)
    expect(detail.length).toBeLessThanOrEqual(LIMITS.detailChars + 1)
})

it('the name of a graph reaches the terminal without its control characters', async () => {
  const file = temporary('graph\x1b[2J\u009b31m.hgr')
  writeFileSync(file, '2 4\n1 2\n3 4\n')
  const made = await orbweaver(['partition', file, '-k', '2'])
  const json = await orbweaver(['partition', file, '-k', '2', '--json'])
  const checked = await orbweaver(['partition', '--check', file, `${file}.part.2`, '-k', '2'])
  expect(made.stderr).toContain('Wrote ')
  expect(JSON.parse(json.stdout)).toMatchObject({ out: `${file}.part.2` })
  expect(checked.stderr).toContain('2 parts')
  expect(made.stderr + json.stdout + checked.stderr).not.toMatch(ESCAPED)
})
