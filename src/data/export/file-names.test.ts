import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { normaliseUrl } from '../../model/url/index.js'
import { distinctPath, filePathOf, relativeHref } from './file-names.js'

describe('the file of a URL', () => {
  it.each([
    ['http://a.test/', 'text/html', 'a.test/index.html'],
    ['http://a.test:8080/x/y', 'text/html', 'a.test+8080/x/y.html'],
    ['http://a.test/x.php?id=1', 'text/html', 'a.test/x.php@id=1.html'],
    ['http://a.test/x.HTM', 'text/html', 'a.test/x.HTM'],
    ['http://a.test/s.css?v=3', 'text/css', 'a.test/s@v=3.css'],
    ['http://a.test/style.php', 'text/css', 'a.test/style.php.css'],
    ['http://a.test/v1.2/x', 'text/html', 'a.test/v1.2_/x.html'],
    ['http://a.test/CON/aux.html', 'text/html', 'a.test/_CON/_aux.html'],
    ['http://a.test/caf%C3%A9', 'text/html', 'a.test/café.html'],
    ['http://a.test/%E0%A4%A', 'text/html', 'a.test/%E0%A4%A.html'],
    ['http://[::1]:81/x', 'image/png', '--1+81/x.png'],
    ['http://a.test/x.unknown', 'application/x-thing', 'a.test/x.unknown'],
    ['http://a.test/x', '', 'a.test/x.bin'],
    ['http://a.test//x///y', 'text/html', 'a.test/x/y.html'],
    ['http://index.html/', 'text/html', 'index.html_/index.html'],
  ])('%s (%s)', (url, mime, path) => {
    expect(filePathOf(url, mime)).toBe(path)
  })

  it('is safe on every file system, whatever the URL', () => {
    const part = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '..',
        '.',
        '%2e%2e',
        '%2f',
        '%5c',
        '%00',
        'con',
        'a.html',
        ' ',
        '~',
        '%E2%80%AE',
        'x'.repeat(300),
      ),
    )
    const mime = fc.constantFrom('text/html', 'text/css', 'image/png', '', 'a/b')
    fc.assert(
      fc.property(fc.array(part, { maxLength: 60 }), fc.option(part), mime, (parts, query, type) => {
        const url = normaliseUrl(`http://a.test/${parts.join('/')}${query === null ? '' : `?${query}`}`)
        if (url === null) return
        const path = filePathOf(url, type)
        const names = path.split('/')
        expect(names[0]).toBe('a.test')
        expect(Buffer.byteLength(path)).toBeLessThanOrEqual(200)
        for (const name of names) {
          expect(name).not.toMatch(/^$|^\.|[. ]$|[\p{Cc}\p{Cf}<>:"\\|?*]|^(con|aux|nul)(\.|$)/iu)
          expect(name).not.toMatch(/\p{Cs}/u)
        }
        // A directory never looks like a file, so that both can be there.
        for (const name of names.slice(1, -1)) expect(name).not.toMatch(/\.[a-z0-9]{1,10}$/i)
        expect(names[names.length - 1]).toMatch(/\.[a-z0-9]{1,10}$/i)
        expect(distinctPath(path, url)).not.toBe(path)
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('a link from file to file', () => {
  it.each([
    ['a/x/y.html', 'a/index.html', '../index.html'],
    ['a/b.html', 'a/c d.html', 'c%20d.html'],
    ['a/b.html', 'b/x@q=1.html', '../b/x%40q%3D1.html'],
    ['a/b.html', 'a/b.html', 'b.html'],
    ['index.html', 'a/b#c.html', 'a/b%23c.html'],
    ['a/b.html', 'a/100%.html', '100%25.html'],
  ])('%s -> %s', (from, to, href) => {
    expect(relativeHref(from, to)).toBe(href)
  })
})
