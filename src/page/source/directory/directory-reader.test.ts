import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ManualClock } from '../../../../test/kit/manual-clock.js'
import { fetchLimits } from '../../../model/index.js'
import { BodyBudget } from '../../fetch/body/index.js'
import type { FetchResult } from '../../fetch/index.js'
import { BodyClaim } from '../local/index.js'
import { DirectoryReader } from './directory-reader.js'

let root: string
let outside: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'orb-root-'))
  outside = mkdtempSync(join(tmpdir(), 'orb-outside-'))
  writeFileSync(join(outside, 'secret.html'), '<html>secret')
})
afterEach(() => {
  for (const folder of [root, outside]) rmSync(folder, { recursive: true, force: true })
})

const write = (name: string | Buffer, text = '<html>') => {
  const path = typeof name === 'string' ? join(root, name) : Buffer.concat([Buffer.from(`${root}/`), name])
  writeFileSync(path, text)
}

function reader(prefix = 'http://a.test/'): (path: string) => Promise<FetchResult> {
  const clock = new ManualClock()
  const limits = fetchLimits()
  const source = new DirectoryReader(prefix, root, clock, limits)
  return async path =>
    source.read({ url: prefix + path }, 0, new BodyClaim(new BodyBudget(limits.bodyBytesInFlight)))
}

async function statusOf(path: string, get = reader()): Promise<number | string> {
  const result = await get(path)
  return result.ok ? result.exchange.status : result.code
}

async function bodyOf(path: string, get = reader()): Promise<string> {
  const result = await get(path)
  return result.ok ? result.exchange.body.toString('latin1') : result.code
}

describe('a URL of a directory', () => {
  test.each(['index.html', 'index.htm', 'index.xhtml'])('is its %s', async name => {
    mkdirSync(join(root, 'sub'))
    write(name, 'home')
    write(`sub/${name}`, 'sub')
    expect(await bodyOf('')).toBe('home')
    expect(await bodyOf('sub/')).toBe('sub')
  })

  test('without a slash is redirected to the one with it, query included', async () => {
    mkdirSync(join(root, 'sub'))
    const result = await reader()('sub?a=1')
    expect(result).toMatchObject({ ok: true, exchange: { status: 301, medium: 'none' } })
    expect(result.exchange?.header('location')).toBe('http://a.test/sub/?a=1')
  })

  test('without an index file is forbidden: a directory is never listed', async () => {
    mkdirSync(join(root, 'sub/index.html'), { recursive: true })
    expect(await statusOf('sub/')).toBe(403)
    expect(await statusOf('')).toBe(403)
  })

  test('with an index file that may not be shown does not fall back on another', async () => {
    execFileSync('mkfifo', [join(root, 'index.html')])
    write('index.htm')
    expect(await statusOf('')).toBe(403)
  })
})

describe('what is not a file of the site is not read', () => {
  test('dotfiles, also in escapes and below hidden directories', async () => {
    for (const folder of ['.git', 'a', 'a/.svn']) mkdirSync(join(root, folder))
    for (const name of ['.env', '.git/config', 'a/.htpasswd', 'a/.svn/entries', '..a']) write(name)
    for (const path of [
      '.env',
      '%2Eenv',
      '.git/config',
      'a/.htpasswd',
      'a/%2ehtpasswd',
      'a/.svn/entries',
      '..a',
    ])
      expect([path, await statusOf(path)]).toEqual([path, 404])
  })

  test('ways out of the root: dot segments, escaped slashes, zero bytes', async () => {
    write('a.html')
    for (const path of [
      '../a.html',
      '%2e%2e/a.html',
      '..%2fa.html',
      'x%2F..%2Fa.html',
      'a.html%00',
      'a.html%00.png',
    ])
      expect([path, await statusOf(path)]).toEqual([path, 404])
  })

  test('links out of the root, to files and directories, relative or absolute', async () => {
    symlinkSync(join(outside, 'secret.html'), join(root, 'file.html'))
    symlinkSync(outside, join(root, 'folder'))
    symlinkSync(`../${outside.split('/').at(-1)}/secret.html`, join(root, 'relative.html'))
    symlinkSync('/etc', join(root, 'etc'))
    mkdirSync(join(outside, 'sub'))
    for (const path of [
      'file.html',
      'folder/secret.html',
      'folder',
      'folder/',
      'folder/sub',
      'folder/sub/',
      'relative.html',
      'etc/passwd',
    ])
      expect([path, await statusOf(path)]).toEqual([path, 404])
  })

  test('links inside the root are followed, but not to hidden files', async () => {
    mkdirSync(join(root, 'real'))
    mkdirSync(join(root, '.hidden'))
    write('real/a.html', 'linked')
    write('.hidden/b.html')
    symlinkSync('real', join(root, 'link'))
    symlinkSync('real/a.html', join(root, 'a.html'))
    symlinkSync('.hidden/b.html', join(root, 'b.html'))
    expect(await bodyOf('link/a.html')).toBe('linked')
    expect(await bodyOf('a.html')).toBe('linked')
    expect(await statusOf('link')).toBe(301)
    expect(await statusOf('b.html')).toBe(404)
  })

  test('a root that is a link itself is fine', async () => {
    write('a.html', 'here')
    const link = `${root}-link`
    symlinkSync(root, link)
    const before = root
    root = link
    expect(await bodyOf('a.html')).toBe('here')
    root = before
    rmSync(link)
  })

  test('loops and dangling links, FIFOs, sockets and devices', async () => {
    symlinkSync('loop', join(root, 'loop'))
    symlinkSync('.', join(root, 'self'))
    symlinkSync('nowhere', join(root, 'dangling'))
    symlinkSync('/dev/zero', join(root, 'zero'))
    execFileSync('mkfifo', [join(root, 'fifo')])
    const server = createServer().listen(join(root, 'socket'))
    await new Promise(resolve => server.once('listening', resolve))
    write('a.html', 'here')
    expect(await statusOf('loop')).toBe(404)
    expect(await bodyOf('self/self/self/a.html')).toBe('here')
    for (const path of ['dangling', 'zero']) expect(await statusOf(path)).toBe(404)
    for (const path of ['fifo', 'socket']) expect(await statusOf(path)).toBe(403)
    server.close()
  })

  test('a file is no directory, and a long name is no file', async () => {
    write('a.html')
    expect(await statusOf('a.html/')).toBe(404)
    expect(await statusOf('a.html/b.html')).toBe(404)
    expect(await statusOf('x'.repeat(2_000))).toBe(404)
  })
})

describe('names', () => {
  test('are bytes: not UTF-8, mixed case, question marks and hashes in escapes', async () => {
    write(Buffer.from('caf\xe9.html', 'latin1'), 'latin')
    write('Case.html', 'upper')
    write('a?b#c.html', 'marks')
    expect(await bodyOf('caf%E9.html')).toBe('latin')
    expect(await statusOf('caf%C3%A9.html')).toBe(404)
    expect(await statusOf('case.html')).toBe(404)
    expect(await bodyOf('a%3Fb%23c.html')).toBe('marks')
  })

  test('the query is no part of the name, as with a static server', async () => {
    write('a.html', 'one')
    expect(await bodyOf('a.html?x=1')).toBe('one')
    expect(await bodyOf('a.html?/../../etc/passwd')).toBe('one')
  })

  test('a prefix with a path is the root', async () => {
    write('a.html', 'one')
    expect(await bodyOf('a.html', reader('http://a.test/docs/v1/'))).toBe('one')
  })
})

describe('the type of a file', () => {
  const PNG = '\x89PNG\r\n\x1a\n'
  test.each([
    ['a.html', '<html>', 'text/html'],
    ['noext', '<!doctype html><title>x', 'text/html'],
    ['a.PNG', PNG, 'image/png'],
    ['picture.html', PNG, 'image/png'],
    ['a.txt', '<html>', 'text/plain'],
    ['a.css', 'a{}', 'text/css'],
    ['a.pdf', '%PDF-1.4', 'application/pdf'],
    ['a.docx', 'PK\x03\x04', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
    ['a.unknown', 'words', 'text/plain'],
    ['dot.in.name/noext', '{"a":1}', 'application/json'],
    ['feed.xml', '<?xml version="1.0"?><rss>', 'application/rss+xml'],
  ])('%s with %j is %s', async (name, text, type) => {
    if (name.includes('/')) mkdirSync(join(root, name.split('/')[0]))
    writeFileSync(join(root, name), text, 'latin1')
    const result = await reader()(name)
    expect(result.exchange?.header('content-type')).toBe(type)
  })
})

test('validators come from size and time of the file', async () => {
  write('a.html', 'one')
  utimesSync(join(root, 'a.html'), 1_700_000_000.5, 1_700_000_000.5)
  const first = (await reader()('a.html')).exchange
  expect(first?.header('last-modified')).toBe('Tue, 14 Nov 2023 22:13:20 GMT')
  write('a.html', 'two!')
  utimesSync(join(root, 'a.html'), 1_700_000_000.5, 1_700_000_000.5)
  expect((await reader()('a.html')).exchange?.header('etag')).not.toBe(first?.header('etag'))
})

test('a root that disappears is a failure, and no 404 of every page', async () => {
  write('a.html')
  const get = reader()
  renameSync(root, `${root}-away`)
  expect(await get('a.html')).toMatchObject({ ok: false, code: 'SOURCE_FAILED' })
  renameSync(`${root}-away`, root)
  expect(await statusOf('a.html', get)).toBe(200)
})

test('no file stays open', async () => {
  for (const name of ['a.html', 'b.html']) write(name)
  write('big.html', 'x'.repeat(400_000))
  const get = reader()
  const openFiles = () => Number(execFileSync('sh', ['-c', `ls /proc/${process.pid}/fd | wc -l`]).toString())
  const before = openFiles()
  for (let round = 0; round < 20; round++)
    for (const path of ['a.html', 'b.html', 'big.html', 'missing', '']) await get(path)
  expect(openFiles()).toBeLessThanOrEqual(before + 2)
})
