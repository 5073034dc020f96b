/** @module-tag deep */
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createTcp } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { urlsWith } from '../kit/crawled.js'
import { orbweaver, temporary } from '../kit/orbweaver.js'

const QUICK = ['--delay', '0', '--contact', 'https://example.org/']
const lines = (text: string) => text.trim().split('\n')

/** A site of a few pages at `name.test`, by `--resolve`. */
async function site(pages: Record<string, string | { location: string }>) {
  const server = createServer((request, response) => {
    const page = pages[`${request.headers.host?.split(':')[0]}${request.url}`]
    if (page === undefined) response.writeHead(404).end('no')
    else if (typeof page === 'string') response.writeHead(200, { 'content-type': 'text/html' }).end(page)
    else response.writeHead(301, { location: page.location }).end()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { port, close: () => server.close() }
}

describe('what a first-time user meets', () => {
  it.each([
    [['crawl'], 'give at least one URL to start from'],
    [['crawl', 'https://example.org', '--colour', 'red'], "unknown option '--colour'"],
    [['crawl', 'mailto:a@b.c'], 'is not an http or https URL; write it like https://example.org/'],
    [['crawl', 'http://localhost:3000'], 'add --allow-private'],
    [['crawl', 'http://192.168.1.1/'], 'add --allow-private'],
    [['crawl', 'https://example.org', '--max-pages', 'lots'], '--max-pages must be a number'],
    [['resume', '/nowhere/at/all'], 'there is no directory /nowhere/at/all'],
    [['crawl', 'https://example.org', '--max-page', '9'], '(Did you mean --max-pages?)'],
    [['crawl', 'https://example.org', '--dns', 'nowhere'], '--dns must be the address of a name server'],
    [['crawl', 'https://example.org', '--previous', 'none'], 'there is no directory'],
    [['crawl', 'https://example.org', '--guest', 'none.js'], '--guest: there is no file none.js'],
    [['crawl', 'https://example.org', '--out', `${'long'.repeat(100)}/x`], 'cannot be made (ENAMETOOLONG)'],
    [['crawl', 'https://example.org', '--graph', 'rtt=1'], '--graph is for --assign graph'],
    [['crawl', 'https://example.org', '--nets', 'site'], '--nets site is for --assign hypergraph'],
    [['crawl', 'https://example.org', '--graph', 'rtt=x'], '--graph: rtt must be a number from 0'],
    [['fly'], "unknown command 'fly'"],
    [['help', 'fly'], "unknown command 'fly'"],
    [['example.org'], 'to crawl it: orbweaver crawl example.org'],
    [[], 'orbweaver --help lists the commands'],
    [['experiment'], 'no command given; orbweaver experiment --help lists the commands'],
  ])('%j: one clear line, exit code 4', async (args, message) => {
    const here = mkdtempSync(join(tmpdir(), 'orb-'))
    const { code, stderr, stdout } = await orbweaver(args, {}, here)
    expect(stderr).toContain(message)
    expect(lines(stderr)).toHaveLength(1)
    expect(stdout).toBe('')
    expect(code).toBe(4)
    expect(readdirSync(here)).toEqual([])
  })

  it('a seed that redirects: scope follows the end of the redirect, www and apex count as one', async () => {
    const web = await site({
      'apex.test/': { location: 'http://www.apex.test/' },
      'www.apex.test/':
        '<a href="/a">a</a> <a href="http://apex.test/b">b</a> <a href="http://far.test/">far</a>',
      'www.apex.test/a': 'a',
      'apex.test/b': 'b',
      'old.test/': { location: 'http://new.test/' },
      'new.test/': '<a href="/x">x</a>',
      'new.test/x': 'x',
      'far.test/': 'far',
    })
    const flags = ['--resolve', `*.test=127.0.0.1:${web.port}`, ...QUICK]
    const out = temporary('crawl')
    const end = await orbweaver(['crawl', 'http://apex.test/', 'http://old.test/', ...flags, '--out', out])
    web.close()
    expect(end.code, end.stderr).toBe(0)
    expect((await urlsWith(out, 'OK')).sort()).toEqual([
      'http://apex.test/b',
      'http://new.test/',
      'http://new.test/x',
      'http://www.apex.test/',
      'http://www.apex.test/a',
    ])
  })

  it('an existing crawl is never touched: the message says resume and --previous', async () => {
    const web = await site({ 'one.test/': 'one' })
    const out = temporary('crawl')
    const args = [
      'crawl',
      `http://one.test:${web.port}/`,
      '--resolve',
      '*.test=127.0.0.1',
      ...QUICK,
      '--out',
      out,
    ]
    expect((await orbweaver(args)).code).toBe(0)
    const before = readFileSync(join(out, 'report.json'), 'utf8')
    const again = await orbweaver(args)
    web.close()
    expect(again.code).toBe(4)
    expect(again.stderr).toContain(`orbweaver resume ${out}`)
    expect(again.stderr).toContain('--previous')
    expect(readFileSync(join(out, 'report.json'), 'utf8')).toBe(before)
  })

  it('a guest that cannot be loaded is named, and the same command works once it can; resume finds it', async () => {
    const web = await site({ 'guest.test/': '<a href="/a">a</a>', 'guest.test/a': 'a' })
    const here = mkdtempSync(join(tmpdir(), 'orb-'))
    const crawl = ['crawl', `http://guest.test:${web.port}/`, '--resolve', '*.test=127.0.0.1', ...QUICK]
    const command = [...crawl, '--guest', 'guest.mjs', '--trusted', '--max-pages', '1', '--out', 'it']
    writeFileSync(join(here, 'guest.mjs'), 'export const accept = 7')
    const wrong = await orbweaver(command, {}, here)
    expect([wrong.code, lines(wrong.stderr)]).toEqual([
      4,
      [expect.stringContaining('runs the guest '), expect.stringContaining('accept is not a function')],
    ])
    expect(readdirSync(here)).toEqual(['guest.mjs'])
    const away = ['--ledger', 'postgres://nobody@127.0.0.1:1/none', '--name', 'it', '--out', 'it']
    expect((await orbweaver([...crawl, ...away], {}, here)).code).toBe(7)
    expect(readdirSync(here)).toEqual(['guest.mjs'])
    // A crawl that never began: killed when its directory was made.
    await orbweaver([...crawl, '--max-pages', '1', '--out', 'other'], {}, here)
    mkdirSync(join(here, 'it/archive/mine'), { recursive: true })
    copyFileSync(join(here, 'other/crawl.json'), join(here, 'it/crawl.json'))
    const kept = await orbweaver(command, {}, here)
    expect(kept.stderr).toContain('already holds a crawl')
    rmSync(join(here, 'it/archive/mine'), { recursive: true })
    writeFileSync(join(here, 'it/notes.txt'), 'of the user')
    writeFileSync(join(here, 'guest.mjs'), 'export const accept = url => true')
    expect((await orbweaver(command, {}, here)).code).toBe(10)
    expect(readFileSync(join(here, 'it/notes.txt'), 'utf8')).toBe('of the user')
    await orbweaver(['set', 'it', 'maxPages=2'], {}, here)
    const resumed = await orbweaver(['resume', join(here, 'it')], {}, tmpdir())
    web.close()
    expect(resumed.stderr).toContain('2 pages')
  })

  it('a directory that is a file, or holds something else, is left alone', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'orb-'))
    const file = join(folder, 'file')
    writeFileSync(file, 'mine')
    const onFile = await orbweaver(['crawl', 'https://example.org', '--out', file])
    expect(onFile.stderr).toContain('is a file; choose another place with --out')
    expect(onFile.code).toBe(4)
    const onFolder = await orbweaver(['crawl', 'https://example.org', '--out', folder])
    expect(onFolder.stderr).toContain('is not empty and holds no crawl')
    expect(onFolder.code).toBe(4)
    expect(readdirSync(folder)).toEqual(['file'])
  })

  it('a crawl.json of a newer version is refused with 7, damage with 8 and the repair command, untouched', async () => {
    const web = await site({ 'one.test/': 'one' })
    const out = temporary('crawl')
    await orbweaver([
      'crawl',
      `http://one.test:${web.port}/`,
      '--resolve',
      '*.test=127.0.0.1',
      ...QUICK,
      '--out',
      out,
    ])
    web.close()
    const file = join(out, 'crawl.json')
    const original = readFileSync(file, 'utf8')
    const { checksum: _, ...content } = JSON.parse(original) as { checksum: string }
    writeFileSync(file, JSON.stringify({ ...content, format: 99, orbweaver: '9.9.9' }))
    const newer = await orbweaver(['resume', out])
    expect(newer.stderr).toContain('was written by orbweaver 9.9.9, which is newer; update orbweaver')
    expect(newer.code).toBe(7)
    writeFileSync(file, original)
    const ledger = join(out, 'ledger.db')
    const whole = readFileSync(ledger)
    for (const spoil of [() => rmSync(ledger), () => writeFileSync(ledger, '')]) {
      spoil()
      const gone = await orbweaver(['resume', out])
      expect(gone.stderr).toMatch(/ledger\.db is (missing|empty); run "orbweaver repair /)
      expect(lines(gone.stderr)).toHaveLength(1)
      expect(gone.code).toBe(8)
      expect(readdirSync(join(out, 'archive'))).toHaveLength(2)
    }
    writeFileSync(ledger, whole)
    const archive = join(
      out,
      'archive',
      readdirSync(join(out, 'archive')).find(name => name.endsWith('.gz'))!,
    )
    const warc = readFileSync(archive)
    writeFileSync(archive, warc.subarray(0, 100))
    const cut = await orbweaver(['resume', out])
    expect([cut.code, lines(cut.stderr)]).toEqual([
      8,
      [expect.stringMatching(/\d+ committed bytes of archive\/.* are gone.* "orbweaver repair /)],
    ])
    expect(readFileSync(archive)).toHaveLength(100)
    writeFileSync(archive, warc)
    expect((await orbweaver(['resume', out])).code).toBe(0)
    writeFileSync(ledger, Buffer.alloc(8192, 'garbage'))
    const damaged = await orbweaver(['resume', out])
    expect(damaged.stderr).toMatch(/ledger\.db .*; run "orbweaver repair /)
    expect(lines(damaged.stderr)).toHaveLength(1)
    expect(damaged.code).toBe(8)
    expect(readFileSync(ledger)).toHaveLength(8192)
  })

  it('an unreachable seed ends with 5 and says why; the same command works once the site is up', async () => {
    const closed = await site({})
    closed.close()
    const out = temporary('crawl')
    const args = (port: number) => [
      'crawl',
      `http://up.test:${port}/`,
      '--resolve',
      '*.test=127.0.0.1',
      ...QUICK,
      '--out',
      out,
    ]
    const down = await orbweaver(args(closed.port))
    expect(down.code, down.stderr).toBe(5)
    expect(down.stderr).toContain('1 x CONNECT_REFUSED')
    const web = await site({ 'up.test/': 'up' })
    const up = await orbweaver(args(web.port))
    web.close()
    expect(up.code, up.stderr).toBe(0)
  })

  it('a server that answers nothing ends with 5', async () => {
    const mute = createTcp(socket => socket.end())
    await new Promise<void>(resolve => mute.listen(0, '127.0.0.1', resolve))
    const { port } = mute.address() as AddressInfo
    const out = temporary('crawl')
    const end = await orbweaver([
      'crawl',
      `http://mute.test:${port}/`,
      '--resolve',
      '*.test=127.0.0.1',
      ...QUICK,
      '--out',
      out,
    ])
    mute.close()
    expect(end.code, end.stderr).toBe(5)
  })

  it('a config file and variables set what flags do not', async () => {
    const web = await site({ 'one.test/': '<a href="/two">2</a>', 'one.test/two': 'two' })
    const folder = mkdtempSync(join(tmpdir(), 'orb-'))
    mkdirSync(join(folder, 'work'))
    const config = join(folder, 'crawl.json')
    writeFileSync(
      config,
      JSON.stringify({ seeds: [`http://one.test:${web.port}/`], delay: 0, resolve: ['*.test=127.0.0.1'] }),
    )
    const end = await orbweaver(['crawl', '--config', config, '--json'], {
      ORBWEAVER_MAX_PAGES: '1',
      ORBWEAVER_OUT: join(folder, 'out'),
    })
    web.close()
    expect(end.code, end.stderr).toBe(10)
    expect(JSON.parse(end.stdout).pages).toBe(1)
  })

  it('a disk that is nearly full: pauses before it is, and gives up with 3 after --max-wait; nothing is lost', async () => {
    const web = await site({ 'one.test/': '<a href="/two">2</a>', 'one.test/two': 'two' })
    const out = temporary('crawl')
    const args = [
      '--resolve',
      '*.test=127.0.0.1',
      ...QUICK,
      '--min-free-disk',
      '1000000Gi',
      '--max-wait',
      '2',
      '--out',
      out,
    ]
    const full = await orbweaver(['crawl', `http://one.test:${web.port}/`, ...args])
    expect(full.code, full.stderr).toBe(3)
    expect(full.stderr).toContain('the disk is nearly full')
    const file = join(out, 'crawl.json')
    // Who edits it removes its checksum.
    const edited = readFileSync(file, 'utf8').replace(/"minFreeDisk": \d+/, '"minFreeDisk": 1')
    writeFileSync(file, edited)
    expect((await orbweaver(['resume', out])).code).toBe(8)
    writeFileSync(file, edited.replace(/,\s*"checksum": "\w+"/, ''))
    const rest = await orbweaver(['resume', out, '--trust'])
    web.close()
    expect(rest.code, rest.stderr).toBe(0)
    expect(await urlsWith(out, 'OK')).toHaveLength(2)
  })
})
