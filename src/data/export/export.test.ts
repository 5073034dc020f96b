import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { Writable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { MADE_AT, MadeCrawl, type MadePage } from '../../../test/kit/made-crawl.js'
import { ConfigError } from '../../config/index.js'
import { payloadDigest } from '../store/warc/index.js'
import { attribute, parseBounded, walk } from './html-tree.js'
import { exportFiles } from './to-files.js'
import { exportJsonl } from './to-jsonl.js'
import { exportMarkdown } from './to-markdown.js'

const cleanup: (() => Promise<void> | void)[] = []

async function crawlOf(
  pages: readonly MadePage[],
  options?: ConstructorParameters<typeof MadeCrawl>[0],
): Promise<string> {
  const crawl = new MadeCrawl(options)
  cleanup.push(() => crawl.remove())
  if (pages.length > 0) await crawl.add(pages)
  await crawl.finish()
  return crawl.dir
}

function target(): string {
  const folder = mkdtempSync(join(tmpdir(), 'orb-export-'))
  cleanup.push(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'out')
}

const quiet = () => {}

function filesOf(root: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => relative(root, join(entry.parentPath, entry.name)))
    .sort()
}

/** Relative links of all HTML files that lead to no file. */
function brokenLinks(root: string): string[] {
  const broken: string[] = []
  for (const file of filesOf(root).filter(name => name.endsWith('.html'))) {
    const document = parseBounded(readFileSync(join(root, file), 'utf8'))
    if (!document) throw new Error(`${file} cannot be parsed`)
    walk(document, {
      enter: element => {
        for (const name of ['href', 'src']) {
          const link = attribute(element, name)
          if (link === undefined || /^([a-z]+:|#|$)/.test(link)) continue
          const path = decodeURIComponent(link.split('#')[0] ?? '')
          if (!existsSync(join(root, dirname(file), path))) broken.push(`${file}: ${link}`)
        }
        return true
      },
    })
  }
  return broken
}

const SITE: readonly MadePage[] = [
  {
    url: 'http://a.test/',
    body: '<title>Home &lt;1></title><link rel=stylesheet href=/s.css?v=2><a href=docs>d</a><a href=/docs/>D</a><a href=old#x>o</a>',
  },
  { url: 'http://a.test/docs', body: '<a href="/">up</a><a href="docs/x.html">x</a><a href=gone>g</a>' },
  { url: 'http://a.test/docs/', body: '<a href="x.html">x</a><img src="/i.png">' },
  { url: 'http://a.test/docs/x.html', body: '<a href="http://b.test:81/q?a=1&amp;b=2">b</a>' },
  { url: 'http://a.test/docs/x.html/y', body: '<a href="../../">up</a>' },
  { url: 'http://a.test/DOCS/', body: 'other case' },
  { url: 'https://a.test/docs', body: 'other scheme' },
  { url: 'http://a.test/s.css?v=2', type: 'text/css', body: 'p{background:url(i.png)}/* \xe9 */' },
  { url: 'http://a.test/i.png', type: 'image/png', body: Buffer.from('\x89PNG\r\n\x1a\n\0', 'latin1') },
  { url: 'http://a.test/old', status: 301, outcome: 'REDIRECT', redirect: 'http://a.test/older' },
  { url: 'http://a.test/older', status: 301, outcome: 'REDIRECT', redirect: 'http://a.test/docs/x.html' },
  { url: 'http://a.test/gone', status: 404, outcome: 'HTTP_CLIENT_ERROR', body: 'not found' },
  { url: 'http://b.test:81/q?a=1&b=2', body: '<a href="http://a.test/">a</a>' },
]

afterEach(async () => {
  for (const task of cleanup.splice(0)) await task()
})

describe('a crawl as a folder for the browser', () => {
  it('has every stored page where its URL says, and links that lead there', async () => {
    const out = target()
    const tally = await exportFiles(await crawlOf(SITE), out, quiet)
    expect(tally).toMatchObject({ written: 10, skippedUnchanged: 0, skippedUnreadable: 0 })
    const files = filesOf(out)
    const hashed = files.map(name => name.replace(/~[0-9a-f]{8}/, '~'))
    expect(hashed).toEqual([
      '_pages/1.html',
      'a.test/DOCS/index.html',
      'a.test/docs.html',
      'a.test/docs/index~.html',
      'a.test/docs/x.html',
      'a.test/docs/x.html_/y.html',
      'a.test/docs~.html',
      'a.test/i.png',
      'a.test/index.html',
      'a.test/s@v=2.css',
      'b.test+81/q@a=1&b=2.html',
      'index.html',
    ])
    expect(new Set(files.map(name => name.toLowerCase())).size).toBe(files.length)
    expect(brokenLinks(out)).toEqual([])
    const home = readFileSync(join(out, 'a.test/index.html'), 'utf8')
    expect(home).toBe(
      '\ufeff<title>Home &lt;1></title><link rel=stylesheet href="s%40v%3D2.css"><a href="docs.html">d</a>' +
        `<a href="${files[3]?.slice(7)}">D</a><a href="docs/x.html#x">o</a>`,
    )
    expect(readFileSync(join(out, 'a.test/docs.html'), 'utf8')).toContain(
      '<a href="http://a.test/gone">g</a>',
    )
    expect(readFileSync(join(out, 'a.test/s@v=2.css'), 'utf8')).toBe('p{background:url("i.png")}/* é */')
    expect(readFileSync(join(out, 'a.test/i.png'), 'latin1')).toBe('\x89PNG\r\n\x1a\n\0')
    const list = readFileSync(join(out, '_pages/1.html'), 'utf8')
    expect(list).toContain('Home &lt;1> — http://a.test/')
    expect(readFileSync(join(out, 'index.html'), 'utf8')).toContain('<a href="a.test/index.html">a.test</a>')
  })

  it('has drawings whose links lead on as those of pages do', async () => {
    const out = target()
    const svg = (link: string) => `<?xml version="1.0"?><svg><a xlink:href="${link}"><text>ü</text></a></svg>`
    const latin = Buffer.from('<svg><a href="/x">\xfc</a></svg>', 'latin1')
    const dir = await crawlOf([
      { url: 'http://a.test/x', body: 'x' },
      { url: 'http://a.test/d.svg', type: 'image/svg+xml', body: Buffer.from(svg('/x')) },
      { url: 'http://a.test/old.svg', type: 'image/svg+xml', body: latin },
    ])
    await exportFiles(dir, out, quiet)
    expect(readFileSync(join(out, 'a.test/d.svg'), 'utf8')).toBe(svg('x.html'))
    // In an encoding that is not known it stays as it was.
    expect(readFileSync(join(out, 'a.test/old.svg')).equals(latin)).toBe(true)
  })

  it('undoes content encodings and other charsets', async () => {
    const out = target()
    const dir = await crawlOf([
      {
        url: 'http://a.test/',
        body: '<p>packed',
        payload: gzipSync('<p>packed'),
        headers: { 'content-encoding': 'gzip' },
      },
      {
        url: 'http://a.test/1252',
        type: 'text/html; charset=windows-1252',
        body: Buffer.from('<meta charset=windows-1252><p>\x93caf\xe9\x94', 'latin1'),
      },
    ])
    await exportFiles(dir, out, quiet)
    expect(readFileSync(join(out, 'a.test/index.html'), 'utf8')).toBe('\ufeff<p>packed')
    expect(readFileSync(join(out, 'a.test/1252.html'), 'utf8')).toBe(
      '\ufeff<meta charset=windows-1252><p>“café”',
    )
  })

  it('leads in by lists of a thousand', async () => {
    const pages = Array.from({ length: 1_001 }, (_, i) => ({ url: `http://h${i % 3}.test/p${i}`, body: 'x' }))
    const out = target()
    expect((await exportFiles(await crawlOf(pages), out, quiet)).written).toBe(1_001)
    expect(readdirSync(join(out, '_pages')).sort()).toEqual(['1.html', '2.html'])
    expect(readFileSync(join(out, '_pages/1.html'), 'utf8').match(/<li>/g)).toHaveLength(1_000)
    expect(readFileSync(join(out, '_pages/1.html'), 'utf8')).toContain('<a href="2.html">Next</a>')
    expect(readFileSync(join(out, '_pages/2.html'), 'utf8')).toContain('<a href="1.html">Before</a>')
    expect(readFileSync(join(out, 'index.html'), 'utf8')).toContain('334 files')
    expect(brokenLinks(out)).toEqual([])
  })

  it('stays inside the folder whatever a URL or a title says', async () => {
    const out = target()
    const dir = await crawlOf([
      { url: 'http://a.test/..%2f..%2fescape', body: '<title></a><script>alert(1)</script></title>' },
      { url: 'http://a.test/%2e%2e%5c%2e%2e%5cescape', body: 'x' },
      { url: 'http://../etc', body: 'x' },
      { url: `http://a.test/${'%C3%A9'.repeat(300)}`, body: 'x' },
      { url: `http://a.test/${'deep/'.repeat(300)}x`, body: 'x' },
      { url: 'http://a.test/nul%00byte', body: 'x' },
      { url: 'http://index.html/', body: 'x' },
    ])
    expect((await exportFiles(dir, out, quiet)).written).toBe(7)
    expect(readdirSync(dirname(out))).toEqual(['out'])
    for (const file of filesOf(out)) {
      expect(Buffer.byteLength(file)).toBeLessThanOrEqual(220)
      for (const name of file.split('/')) expect(Buffer.byteLength(name)).toBeLessThanOrEqual(100)
    }
    expect(readFileSync(join(out, '_pages/1.html'), 'utf8')).not.toContain('<script')
    expect(brokenLinks(out)).toEqual([])
  })

  it('follows a revisit to the same payload in this crawl, and counts those that lie in the previous one', async () => {
    const body = '<p>same'
    const digest = payloadDigest(Buffer.from(body))
    const revisit = (digestOf: string, url: string) =>
      ({ profile: 'identical-payload-digest', refersToUrl: url, refersToDate: '', digest: digestOf }) as const
    const out = target()
    const dir = await crawlOf([
      { url: 'http://a.test/first', body },
      { url: 'http://a.test/again', body, revisit: revisit(digest, 'http://a.test/first') },
      {
        url: 'http://a.test/elsewhere',
        body: 'other',
        revisit: revisit('sha1:OTHER', 'http://a.test/elsewhere'),
      },
      { url: 'http://a.test/304', status: 304, outcome: 'NOT_MODIFIED', revisit: revisit(digest, 'x') },
      { url: 'http://a.test/304b', status: 304, outcome: 'NOT_MODIFIED', revisit: revisit('sha1:X', 'x') },
    ])
    const tally = await exportFiles(dir, out, quiet)
    expect(tally).toMatchObject({ written: 3, skippedUnchanged: 2, skippedUnreadable: 0 })
    for (const name of ['first', 'again', '304'])
      expect(readFileSync(join(out, `a.test/${name}.html`), 'utf8')).toBe('\ufeff<p>same')
    expect(brokenLinks(out)).toEqual([])
  })

  it('leaves out what cannot be read, and says which', async () => {
    const crawl = new MadeCrawl()
    cleanup.push(() => crawl.remove())
    await crawl.add([{ url: 'http://a.test/1', body: 'one' }])
    await crawl.finish()
    const [warc] = (await crawl.ledger.files()).filter(file => file.kind === 'warc')
    rmSync(join(crawl.dir, warc?.name ?? ''))
    const tally = await exportFiles(crawl.dir, target(), quiet)
    expect(tally).toMatchObject({ written: 0, skippedUnreadable: 1 })
    expect(tally.example).toMatch(/^http:\/\/a\.test\/1: archive\/made-1-00001\.warc\.gz: ENOENT/)
  })

  it('works while the crawl runs, on what is committed', async () => {
    const crawl = new MadeCrawl()
    cleanup.push(() => crawl.remove())
    await crawl.add([{ url: 'http://a.test/1', body: 'one' }])
    await crawl.add([{ url: 'http://a.test/2', body: 'two' }], false)
    const out = target()
    expect((await exportFiles(crawl.dir, out, quiet)).written).toBe(1)
    expect(filesOf(join(out, 'a.test'))).toEqual(['1.html'])
  })
})

describe('a crawl as JSON lines', () => {
  it('is one object per row with every column', async () => {
    const out = `${target()}.jsonl`
    const tally = await exportJsonl(await crawlOf(SITE), out, quiet)
    const lines = readFileSync(out, 'utf8').trimEnd().split('\n')
    expect(tally.written).toBe(SITE.length)
    expect(lines).toHaveLength(SITE.length)
    const rows = lines.map(line => JSON.parse(line))
    expect(rows.map(row => row.url).sort()).toEqual(SITE.map(page => page.url).sort())
    expect(Object.keys(rows[0])).toHaveLength(34)
    expect(rows.find(row => row.url === 'http://a.test/')).toMatchObject({
      title: 'Home <1>',
      fetch_time: new Date(MADE_AT).toISOString(),
      fetch_status: 200,
      warc_record_offset: expect.any(Number),
    })
  })
})

describe('JSON lines on a terminal', () => {
  it('hold no byte that it would obey, and mean the same', async () => {
    const dir = await crawlOf([{ url: 'http://a.test/', body: '<title>a\x1b[31m\u009bb</title>' }])
    const written: string[] = []
    const terminal = new Writable({
      write(chunk, _, done) {
        written.push(String(chunk))
        done()
      },
    })
    await exportJsonl(dir, Object.assign(terminal, { isTTY: true }), quiet)
    expect(written.join('')).not.toMatch(/[^\P{Cc}\n]/u)
    expect(JSON.parse(written.join('')).title).toBe(JSON.parse('"a\\u001b[31m\\u009bb"'))
  })
})

describe('a crawl as Markdown', () => {
  const PAGES: readonly MadePage[] = [
    {
      url: 'http://a.test/a',
      body: '<title>T "q"</title><nav>menu</nav><h1>Head</h1><p>one <a href=b>two</a><p>three',
    },
    { url: 'http://a.test/n.txt', type: 'text/plain', body: 'plain *text*\n' },
    { url: 'http://a.test/i.png', type: 'image/png', body: '\x89PNG\r\n\x1a\n' },
  ]
  const front = (url: string, title: string) =>
    `---\nurl: "${url}"\ntitle: "${title}"\nfetched: 2026-01-31T12:00:00.123Z\n---\n\n`

  it('is the main text of each page with its front matter', async () => {
    const out = target()
    expect((await exportMarkdown(await crawlOf(PAGES), out, quiet)).written).toBe(2)
    expect(filesOf(out)).toEqual(['a.test/a.md', 'a.test/n.txt.md'])
    expect(readFileSync(join(out, 'a.test/a.md'), 'utf8')).toBe(
      `${front('http://a.test/a', 'T \\"q\\"')}# Head\n\none [two](http://a.test/b)\n\nthree\n`,
    )
    expect(readFileSync(join(out, 'a.test/n.txt.md'), 'utf8')).toBe(
      `${front('http://a.test/n.txt', '')}plain *text*\n`,
    )
  })

  it('comes from the tables where there is no archive', async () => {
    const out = target()
    expect((await exportMarkdown(await crawlOf(PAGES, { archive: 'none' }), out, quiet)).written).toBe(1)
    expect(readFileSync(join(out, 'a.test/a.md'), 'utf8')).toBe(
      `${front('http://a.test/a', 'T \\"q\\"')}Head\n\none two\n\nthree\n`,
    )
  })

  it('falls back on the plain text of a page that is too tangled', async () => {
    const out = target()
    const dir = await crawlOf([{ url: 'http://a.test/a', body: `<p>one${'<div>'.repeat(10_000)}two` }])
    await exportMarkdown(dir, out, quiet)
    expect(readFileSync(join(out, 'a.test/a.md'), 'utf8')).toBe(`${front('http://a.test/a', '')}one\n\ntwo\n`)
  })
})

describe('an export that cannot be', () => {
  it('is refused before anything is written', async () => {
    const dir = await crawlOf([{ url: 'http://a.test/', body: 'x' }])
    const out = target()
    mkdirSync(out)
    writeFileSync(join(out, 'mine.txt'), 'mine')
    writeFileSync(`${out}.jsonl`, 'mine')
    for (const run of [exportFiles, exportMarkdown]) {
      await expect(run(dir, out, quiet)).rejects.toThrow(
        `${out} is not empty; give another folder with --out`,
      )
      await expect(run(dir, `${out}.jsonl`, quiet)).rejects.toThrow('is a file; give a folder')
    }
    await expect(exportJsonl(dir, `${out}.jsonl`, quiet)).rejects.toThrow('is there already')
    await expect(exportJsonl(dir, out, quiet)).rejects.toThrow('is a folder; give a file with --out')
    expect(readFileSync(join(out, 'mine.txt'), 'utf8')).toBe('mine')
    expect(readFileSync(`${out}.jsonl`, 'utf8')).toBe('mine')
    expect(readdirSync(out)).toEqual(['mine.txt'])
  })

  it('is explained: no archive, no tables, no page', async () => {
    const page = { url: 'http://a.test/', body: 'x' }
    const bare = await crawlOf([page], { archive: 'none' })
    await expect(exportFiles(bare, target(), quiet)).rejects.toThrow(/has no archive \(--archive none\)/)
    const tableless = await crawlOf([page], { tables: false })
    await expect(exportJsonl(tableless, target(), quiet)).rejects.toThrow(/made with --tables none/)
    const failed = await crawlOf([{ url: 'http://a.test/', status: 0, outcome: 'DNS_NOT_FOUND' }])
    await expect(exportFiles(failed, target(), quiet)).rejects.toThrow(/holds no page/)
    await expect(exportMarkdown(failed, target(), quiet)).rejects.toThrow(ConfigError)
  })
})

describe('a page that cannot be converted', () => {
  const throwsAt = (name: string, error: Error) => (page: { url: string }) => {
    if (page.url.endsWith(name)) throw error
    return 'converted'
  }
  const bug = new RangeError('Invalid code point NaN')
  const full = Object.assign(new Error('no space left'), { code: 'ENOSPC', syscall: 'write' })

  it.each([
    ['files', exportFiles],
    ['markdown', exportMarkdown],
  ] as const)('is left out of %s and told of; the others are written', async (_, run) => {
    const dir = await crawlOf([
      { url: 'http://a.test/bad', body: 'x' },
      { url: 'http://a.test/good', body: 'y' },
    ])
    const out = target()
    const tally = await run(dir, out, quiet, { convert: throwsAt('/bad', bug) })
    expect(tally).toMatchObject({ written: 1, skippedUnreadable: 1 })
    expect(tally.example).toMatch(/^http:\/\/a\.test\/bad: .*RangeError: Invalid code point NaN/)
    expect(filesOf(out).some(file => file.includes('good'))).toBe(true)
    await expect(run(dir, target(), quiet, { convert: throwsAt('/good', full) })).rejects.toBe(full)
  })
})
