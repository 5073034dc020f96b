import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { loadedZstd, loadZstd } from '../../../model/bytes/index.js'
import { LIMITS } from '../../../model/index.js'
import { readSitemap, type SitemapReading, unpackSitemap } from './read-sitemap.js'

const AT = 'https://example.org/maps/sitemap.xml'

interface Read extends SitemapReading {
  readonly pageUrls: string[]
  readonly sitemapUrls: string[]
}

function read(body: string | Buffer, contentType?: string): Read {
  const pageUrls: string[] = []
  const sitemapUrls: string[] = []
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  const reading = readSitemap(bytes, AT, contentType, {
    page: url => void pageUrls.push(url),
    sitemap: url => void sitemapUrls.push(url),
  })
  return { ...reading, pageUrls, sitemapUrls }
}

const urlset = (inner: string) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${inner}</urlset>`
const url = (path: string) => `<url><loc>https://example.org${path}</loc></url>`

describe('a urlset', () => {
  it.each<[string, string, string[]]>([
    ['plain', urlset(url('/a') + url('/b')), ['/a', '/b']],
    ['white space around the address', urlset('<url><loc>\n  https://example.org/a\n </loc></url>'), ['/a']],
    ['escaped ampersands', urlset(url('/a?x=1&amp;y=2&#38;z=&#x33;')), ['/a?x=1&y=2&z=3']],
    ['bare ampersands', urlset(url('/a?x=1&y=2')), ['/a?x=1&y=2']],
    [
      'references to unknown entities are no addresses',
      urlset(
        url('/a?x=&nbsp;') +
          url('/&foo;') +
          url('/&constructor;') +
          url('/&#0;') +
          url('/&#xD0000000;') +
          url('/b'),
      ),
      ['/b'],
    ],
    ['nor are such in other languages', urlset('<url><link rel="alternate" href="/&foo;"/></url>'), []],
    ['a piece of one is not taken either', urlset('<url><loc>https://example.org/&x;a</loc></url>'), []],
    ['bare ampersands before a name', urlset(url('/a?x=1&copy=2&amp;z')), ['/a?x=1&copy=2&z']],
    ['addresses without loc', '<urlset><url>https://example.org/a</url><url>no</url></urlset>', ['/a']],
    [
      'one to a line',
      '<urlset>\n https://example.org/a\nhttps://example.org/b?x&amp;y\n</urlset>',
      ['/a', '/b?x&y'],
    ],
    ['but not those of other elements', urlset('<url><note>https://example.org/n</note></url>'), []],
    ['CDATA', urlset('<url><loc><![CDATA[https://example.org/a?x=1&y=2]]></loc></url>'), ['/a?x=1&y=2']],
    ['CDATA in part', urlset('<url><loc>https://example.org/a<![CDATA[?x&y]]></loc></url>'), ['/a?x&y']],
    [
      'an address in an element of its own',
      urlset('<url><loc><url>https://example.org/a</url></loc></url>'),
      ['/a'],
    ],
    ['a comment inside', urlset('<url><loc>https://example.org/<!-- no -->a</loc></url>'), ['/a']],
    ['commented out', urlset(`<!-- ${url('/a')} -->${url('/b')}`), ['/b']],
    ['upper case tags', '<URLSET><URL><LOC>https://example.org/a</LOC></URL></URLSET>', ['/a']],
    [
      'a prefix',
      '<s:urlset xmlns:s="x"><s:url><s:loc>https://example.org/a</s:loc></s:url></s:urlset>',
      ['/a'],
    ],
    ['no name space', `<urlset>${url('/a')}</urlset>`, ['/a']],
    ['text before the declaration', `\n\n warning: line 3 \n${urlset(url('/a'))}`, ['/a']],
    [
      'loc not closed',
      urlset('<url><loc>https://example.org/a</url><url><loc>https://example.org/b'),
      ['/a', '/b'],
    ],
    [
      'url not closed',
      urlset('<url><loc>https://example.org/a</loc><url><loc>https://example.org/b</loc>'),
      ['/a', '/b'],
    ],
    ['an end tag without its end', '<urlset><url><loc>https://example.org/a</lo', ['/a']],
    [
      'cut within an address',
      '<urlset><url><loc>https://example.org/a</loc></url><url><loc>https://example.org/b',
      ['/a'],
    ],
    ['a tag that never ends', '<urlset><url <loc>https://example.org/a</loc></url></urlset>', ['/a']],
    ['no address', urlset('<url></url><url><loc/></url><url><loc> </loc></url>'), []],
    ['relative addresses', urlset('<url><loc>/a</loc></url><url><loc>b</loc></url>'), ['/a', '/maps/b']],
    [
      'other schemes',
      urlset('<url><loc>mailto:a@b.c</loc></url><url><loc>ftp://example.org/</loc></url>'),
      [],
    ],
    ['fragments are dropped', urlset(url('/a#b')), ['/a']],
    [
      'pictures, videos and news are not pages',
      urlset(
        '<url><loc>https://example.org/a</loc><image:image><image:loc>https://example.org/a.jpg</image:loc></image:image>' +
          '<video:video><video:player_loc>https://example.org/v</video:player_loc></video:video>' +
          '<image><loc>https://example.org/b.jpg</loc></image></url>',
      ),
      ['/a'],
    ],
    [
      'other languages are pages',
      urlset(
        '<url><loc>https://example.org/a</loc><xhtml:link rel="alternate" hreflang="de" href="https://example.org/de?a&amp;b"/></url>',
      ),
      ['/a', '/de?a&b'],
    ],
    [
      'a doctype with declarations',
      `<!DOCTYPE urlset [<!ENTITY a "https://example.org/x"><!ENTITY b "&a;&a;">]><urlset>${url('/a&b;')}</urlset>`,
      [],
    ],
  ])('%s', (_, text, paths) => {
    const { pageUrls, form } = read(text)
    expect(pageUrls).toEqual(paths.map(path => `https://example.org${path}`))
    expect(form).toBe('urlset')
  })

  it('is read in any encoding', () => {
    const text = urlset(url('/café'))
    const expected = ['https://example.org/caf%C3%A9']
    const wide = Buffer.from(text.replace('UTF-8', 'UTF-16'), 'utf16le')
    const latin = Buffer.from(text.replace('UTF-8', 'ISO-8859-1'), 'latin1')
    expect(read(text).pageUrls).toEqual(expected)
    expect(read(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(text)])).pageUrls).toEqual(
      expected,
    )
    expect(read(Buffer.concat([Buffer.from([0xff, 0xfe]), wide])).pageUrls).toEqual(expected)
    expect(read(wide, 'text/xml; charset=utf-8').pageUrls).toEqual(expected)
    expect(read(Buffer.from(wide).swap16()).pageUrls).toEqual(expected)
    expect(read(latin).pageUrls).toEqual(expected)
    expect(read(latin, 'application/xml').pageUrls).toEqual(expected)
  })

  it('ends at its bounds, and says so', () => {
    const many = read(urlset(url('/a').repeat(LIMITS.sitemapUrls + 5)))
    expect([many.pages, many.isCut]).toEqual([LIMITS.sitemapUrls, true])
    expect(read(urlset(url(`/${'a'.repeat(LIMITS.urlChars)}`))).pages).toBe(0)
    expect(read(urlset(url(`/${'a'.repeat(LIMITS.sitemapUrlBytes * 2)}`) + url('/b'))).pages).toBe(1)
  })
})

describe('an index', () => {
  it('lists sitemaps; pages that stand in it are pages', () => {
    const { form, sitemapUrls, pageUrls } = read(
      `<sitemapindex><sitemap><loc>https://example.org/1.xml.gz</loc><lastmod>2004-10-01</lastmod></sitemap>
       <sitemap></sitemap><sitemap><loc>https://cdn.example.net/2?a&amp;b</loc></sitemap>
       <url><loc>https://example.org/page</loc></url><loc>https://example.org/3.xml</loc></sitemapindex>`,
    )
    expect(form).toBe('index')
    expect(sitemapUrls).toEqual([
      'https://example.org/1.xml.gz',
      'https://cdn.example.net/2?a&b',
      'https://example.org/3.xml',
    ])
    expect(pageUrls).toEqual(['https://example.org/page'])
  })
})

describe('an index with bare addresses', () => {
  it.each([
    '<sitemapindex><sitemap>https://example.org/1.xml</sitemap><sitemap>\nhttps://example.org/2.xml\n</sitemap></sitemapindex>',
    '<sitemapindex>\nhttps://example.org/1.xml\r\nhttps://example.org/2.xml\n</sitemapindex>',
    '<sitemapindex><sitemap><url>https://example.org/1.xml</url></sitemap><url><![CDATA[https://example.org/2.xml]]></url></sitemapindex>',
    '<sitemapindex><loc>https://example.org/1.xml</loc><loc>https://example.org/2.xml</loc></sitemapindex>',
  ])('%s', text => {
    const { form, sitemapUrls, pageUrls } = read(text)
    expect([form, sitemapUrls, pageUrls]).toEqual([
      'index',
      ['https://example.org/1.xml', 'https://example.org/2.xml'],
      [],
    ])
  })

  it('as a plain text: what is called a sitemap is one', () => {
    const { form, sitemapUrls, pageUrls } = read(
      'https://example.org/sitemap-1.xml\nhttps://example.org/en/post_sitemap.xml.gz\nhttps://example.org/sitemap/\nhttps://example.org/feed.xml\n',
    )
    expect(form).toBe('text')
    expect(sitemapUrls).toEqual([
      'https://example.org/sitemap-1.xml',
      'https://example.org/en/post_sitemap.xml.gz',
    ])
    expect(pageUrls).toEqual(['https://example.org/sitemap/', 'https://example.org/feed.xml'])
  })
})

describe('a feed', () => {
  it('RSS 2.0: the link of an item, else its permanent id; not the channel, not its picture', () => {
    const { form, pageUrls } = read(`<?xml version="1.0"?><rss version="2.0"><channel>
      <link>https://example.org/</link><atom:link href="https://example.org/feed" rel="self"/>
      <image><url>https://example.org/i.png</url><link>https://example.org/</link></image>
      <item><title>1</title><link>https://example.org/1?a=1&amp;b=2</link><guid>https://example.org/x</guid></item>
      <item><guid isPermaLink="true">https://example.org/2</guid></item>
      <item><link><![CDATA[https://example.org/3]]></link><enclosure url="https://example.org/3.mp3"/></item>
      <item><guid isPermaLink="false">tag:1</guid></item>
      <item><guid>https://example.org/4</guid><link/>
      <item><link>/5</link></item></channel></rss>`)
    expect(form).toBe('rss')
    expect(pageUrls).toEqual(['1?a=1&b=2', '2', '3', '4', '5'].map(path => `https://example.org/${path}`))
  })

  it('RSS 1.0: the link of an item', () => {
    const { form, pageUrls } = read(`<rdf:RDF xmlns="http://purl.org/rss/1.0/"><channel rdf:about="x">
      <link>https://example.org/</link></channel><item rdf:about="y"><link>https://example.org/1</link></item></rdf:RDF>`)
    expect([form, pageUrls]).toEqual(['rss', ['https://example.org/1']])
  })

  it('Atom: the first link of an entry to the thing itself', () => {
    const { form, pageUrls } = read(`<feed xmlns="http://www.w3.org/2005/Atom">
      <link href="https://example.org/feed" rel="self"/><link href="https://example.org/"/>
      <entry><link rel="edit" href="/edit"/><link href="/1"/><link rel="alternate" href="/1?alt"/></entry>
      <entry><link rel='alternate' type='text/html' href='https://example.org/2?a&amp;b'/></entry>
      <entry><id>https://example.org/3</id></entry></feed>`)
    expect([form, pageUrls]).toEqual(['atom', ['https://example.org/1', 'https://example.org/2?a&b']])
  })
})

describe('a text', () => {
  it.each([
    ['https://example.org/a\nhttps://example.org/b', ['a', 'b']],
    ['\n\n  https://example.org/a  \r\n\r\n\thttps://example.org/b\rhttps://example.org/c', ['a', 'b', 'c']],
    ['\ufeffhttps://example.org/a\nSome other stuff\nexample.org/b\n', ['a']],
  ])('%j', (text, paths) => {
    const { form, pageUrls } = read(text, 'application/bogus')
    expect(form).toBe('text')
    expect(pageUrls).toEqual(paths.map(path => `https://example.org/${path}`))
  })
})

describe('anything else', () => {
  it.each([
    '',
    'this is not a sitemap',
    '<!DOCTYPE html><html><body><a href="https://example.org/">404</a><urlset><url><loc>https://example.org/</loc></url>',
    '<html xmlns="http://www.w3.org/1999/xhtml"><url><loc>https://example.org/</loc></url>',
    '{"url":"https://example.org/"}',
    '<?xml version="1.0"?>',
  ])('%j lists nothing', text => {
    const { form, pages } = read(text)
    expect([form, pages]).toEqual(['none', 0])
  })

  it('entities inside entities are not expanded', () => {
    const levels = Array.from({ length: 60 }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`)
    const text = `<!DOCTYPE lolz [<!ENTITY l0 "lol">${levels.join('')}]><urlset>${url('/&l60;')}</urlset>`
    expect(read(text).pageUrls).toEqual([])
  })

  it('takes time in proportion to its length, whatever it repeats', () => {
    for (const piece of [
      '<',
      '</',
      '<!',
      '<![',
      '<!--',
      '<![CDATA[',
      '<a "',
      '<a \'"',
      '<loc>',
      '</loc',
      '&#',
      '<?',
      'http://',
      '<url><loc>a',
    ])
      read(Buffer.from(`<urlset>${piece.repeat(400_000 / piece.length)}`))
  })

  const noise = fc.oneof(
    fc.uint8Array({ maxLength: 400 }),
    fc
      .array(
        fc.constantFrom(
          ...[
            '<urlset>',
            '<sitemapindex>',
            '<url>',
            '</url>',
            '<loc>',
            '</loc>',
            '<rss>',
            '<item>',
            '<link>',
            '<feed>',
            '<entry>',
          ],
          ...[
            '<!--',
            '-->',
            '<![CDATA[',
            ']]>',
            '"',
            "'",
            '&amp;',
            '&#x110000;',
            '&#0;',
            'http://a/',
            '\0',
            '\ufeff',
            'é',
            '<',
            '>',
          ],
          ...['<link href="', '/>', '<!DOCTYPE x [', ']>', '\r\n', '<?xml encoding="utf-16"?>', ' '],
        ),
        { maxLength: 60 },
      )
      .map(parts => Buffer.from(parts.join(''))),
  )

  it('never throws, and lists only web addresses', async () => {
    await fc.assert(
      fc.asyncProperty(noise, fc.boolean(), async (bytes, packed) => {
        const { body } = await unpackSitemap(packed ? gzipSync(bytes) : Buffer.from(bytes))
        const { pageUrls, sitemapUrls } = read(body)
        for (const found of [...pageUrls, ...sitemapUrls]) expect(found).toMatch(/^https?:\/\/[^#]+$/)
      }),
      { numRuns: 3_000 },
    )
  })

  it('mutated gzip never throws', async () => {
    const packed = gzipSync(urlset(url('/a').repeat(200)))
    await fc.assert(
      fc.asyncProperty(fc.nat(packed.length - 1), fc.nat(255), async (at, byte) => {
        const broken = Buffer.from(packed)
        broken[at] = byte
        const { body } = await unpackSitemap(broken)
        read(body)
      }),
      { numRuns: 300 },
    )
  })
})

describe('a compressed sitemap', () => {
  it('is known by its bytes, once or twice packed, and read as far as it goes', async () => {
    const text = urlset(url('/a') + url('/b'))
    await loadZstd()
    const zstd = Buffer.from(loadedZstd()!.compress(Buffer.from(text), 3))
    for (const packed of [gzipSync(text), gzipSync(gzipSync(text)), zstd, gzipSync(zstd), Buffer.from(text)])
      expect(read((await unpackSitemap(packed)).body).pageUrls).toHaveLength(2)
    const long = gzipSync(urlset(Array.from({ length: 5_000 }, (_, i) => url(`/${i}`)).join('')))
    const cut = await unpackSitemap(long.subarray(0, long.length / 2))
    expect(read(cut.body).pages).toBeGreaterThan(1_000)
    expect(cut.isCut).toBe(true)
  })

  it('is a bomb only up to the limit', async () => {
    const { body, isCut } = await unpackSitemap(gzipSync(Buffer.alloc(LIMITS.sitemapBytes + 1024)))
    expect([body.length, isCut]).toEqual([LIMITS.sitemapBytes, true])
  })
})
