import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test } from 'vitest'
import { orbweaver } from '../../test/kit/orbweaver.js'
import { RawServer } from '../../test/kit/raw-server.js'

const folder = mkdtempSync(join(tmpdir(), 'orb-robots-'))
const servers: RawServer[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})

const FILE = join(folder, 'robots.txt')
writeFileSync(
  FILE,
  '# rules\nUser-agent: FooBot\nDisallow: /x\nAllow: /x/open # but\nCrawl-delay: 1.5\n\n' +
    'User-agent: *\nDisallow: /größe\nSitemap: https://a.test/s.xml\n',
)
const robots = (...args: readonly string[]) => orbweaver(['robots', ...args])

describe('orbweaver robots, with a file', () => {
  test.each([
    ['FooBot', 'https://a.test/x/1', 'disallowed\nline 3: Disallow: /x\n', 1],
    ['foobot/2.1', 'https://a.test/x/open/1', 'allowed\nline 4: Allow: /x/open\n', 0],
    ['FooBot', 'https://a.test/y', 'allowed\nno line forbids it\n', 0],
    ['other', 'https://a.test/gr%C3%B6%C3%9Fe', 'disallowed\nline 8: Disallow: /größe\n', 1],
    ['other', '/größe/1', 'disallowed\nline 8: Disallow: /größe\n', 1],
    ['other', 'a.test/x/1', 'allowed\nno line forbids it\n', 0],
    ['other', 'https://a.test/robots.txt', 'allowed\nno line forbids it\n', 0],
    ['', 'https://a.test/gr%C3%B6%C3%9Fe', 'disallowed\nline 8: Disallow: /größe\n', 1],
  ])('%s %s', async (agent, url, said, code) => {
    expect(await robots('--agent', agent, '--url', url, FILE)).toMatchObject({
      stdout: said,
      stderr: '',
      code,
    })
  })

  test('what a line says does not speak to the terminal', async () => {
    const loud = join(folder, 'loud.txt')
    writeFileSync(loud, 'User-agent: *\nDisallow: /*\x1b[2J\u009b31m?token=a\nDisallow: /x\x1b]0;owned\x07*')
    const { stdout } = await robots('--url', '/x%1B]0;owned%07', loud)
    expect(stdout).toBe('disallowed\nline 3: Disallow: /x ]0;owned *\n')
  })

  test('as JSON', async () => {
    const { stdout, code } = await robots('--agent', 'FooBot', '--url', 'http://a.test/x', FILE, '--json')
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toEqual({
      url: 'http://a.test/x',
      agent: 'FooBot',
      allowed: false,
      line: { number: 3, text: 'Disallow: /x' },
      reason: null,
      crawlDelayMs: 1_500,
      sitemaps: ['https://a.test/s.xml'],
    })
  })

  test('from stdin', async () => {
    const bin = fileURLToPath(new URL('../../bin/orbweaver.js', import.meta.url))
    const child = spawn(process.execPath, [bin, 'robots', '--url', 'http://a.test/x', '-'])
    let said = ''
    child.stdout.on('data', chunk => {
      said += chunk
    })
    child.stdin.end('User-agent: orbweaver\nDisallow: /')
    expect(await once(child, 'close')).toEqual([1, null])
    expect(said).toBe('disallowed\nline 2: Disallow: /\n')
  })

  test('that is no text has no rules', async () => {
    const picture = join(folder, 'picture')
    writeFileSync(picture, Buffer.from('\x89PNG\r\n\x1a\nUser-agent: *\nDisallow: /', 'latin1'))
    expect(await robots('--url', 'http://a.test/', picture)).toMatchObject({ code: 0 })
  })

  test.each([
    [['--url', 'mailto:a@b.c', FILE], 'is not an http or https URL'],
    [['--url', '', FILE], 'is not an http or https URL'],
    [['--url', '/path'], 'is not an http or https URL'],
    [['--url', 'http://a.test/', join(folder, 'none')], 'cannot read'],
    [['--url', 'http://a.test/', folder], 'cannot read'],
    [[FILE], "required option '--url <url>' not specified"],
    [['--url', 'http://a.test/', FILE, 'more'], 'too many arguments'],
    [['--url', 'http://127.0.0.1:1/'], 'add --allow-private'],
    [['--url', 'http://a.test/', '--resolve', 'nonsense'], 'HOST=ADDR'],
    [['--url', 'http://a.test/', '--robots', 'ignore', FILE], 'Allowed choices are strict, rfc9309'],
  ])('%j: one line, exit code 4', async (args, message) => {
    const { code, stdout, stderr } = await robots(...args)
    expect(stderr).toContain(message)
    expect(stderr.trim().split('\n')).toHaveLength(1)
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' })
  })
})

describe('orbweaver robots, live', () => {
  async function serve(head: string, body = ''): Promise<string> {
    const server = await RawServer.start(`HTTP/1.1 ${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
    servers.push(server)
    return `http://127.0.0.1:${server.port}/page`
  }

  test('goes by what the site says', async () => {
    const url = await serve('200 OK', 'User-agent: orbweaver\nDisallow: /page')
    expect(await robots('--url', url, '--allow-private')).toMatchObject({
      code: 1,
      stdout: 'disallowed\nline 2: Disallow: /page\n',
    })
    expect(await robots('--url', url, '--allow-private', '--agent', 'other')).toMatchObject({ code: 0 })
  })

  test('404 is no rules; 403 is no permission, but for --robots rfc9309', async () => {
    const none = await serve('404 Not Found')
    expect(await robots('--url', none, '--allow-private')).toMatchObject({
      code: 0,
      stdout: 'allowed\nrobots.txt answered 404\n',
    })
    const forbidden = ['--url', await serve('403 Forbidden'), '--allow-private']
    expect(await robots(...forbidden)).toMatchObject({
      code: 1,
      stdout: 'disallowed\nrobots.txt answered 403\n',
    })
    expect(await robots(...forbidden, '--robots', 'rfc9309')).toMatchObject({ code: 0 })
  })
})
