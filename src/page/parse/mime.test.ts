import { describe, expect, it } from 'vitest'
import { detectType, readContentType } from './charset/index.js'
import { parsePage } from './parse-page.js'

const bytes = (text: string) => Buffer.from(text, 'latin1')
const detectMime = (header: string | undefined, body: Buffer) => detectType(readContentType(header), body)

describe('detectType', () => {
  it.each([
    ['text/html', '%PDF-1.7', 'application/pdf'],
    ['text/html; charset=x', '\x89PNG\r\n\x1a\n', 'image/png'],
    [undefined, 'GIF89a', 'image/gif'],
    ['text/plain', '\xff\xd8\xff\xe0', 'image/jpeg'],
    ['image/png', 'RIFF\0\0\0\0WEBP', 'image/webp'],
    ['text/html', '\x1f\x8b\x08\0', 'application/gzip'],
    ['application/epub+zip', 'PK\x03\x04', 'application/epub+zip'],
    ['text/html', 'PK\x03\x04', 'application/zip'],
  ])('believes a signature: %s with %j is %s', (header, body, mime) => {
    expect(detectMime(header, bytes(body))).toBe(mime)
  })

  it.each([
    ['text/html', '', 'text/html'],
    ['TEXT/HTML ;charset=utf-8', 'anything', 'text/html'],
    ['text/html', '<rss version="2.0">', 'application/rss+xml'],
    ['text/html', '\xef\xbb\xbf <?xml version="1.0"?><!-- x --><feed xmlns="">', 'application/atom+xml'],
    ['text/html', '<?xml version="1.0"?><!DOCTYPE html><html>', 'text/html'],
    ['text/html', '<frameset>', 'text/html'],
    ['application/xhtml+xml', '<html>', 'application/xhtml+xml'],
    ['application/xml', '<?xml version="1.0"?><html xmlns="">', 'application/xhtml+xml'],
    ['text/xml', '<svg xmlns="">', 'image/svg+xml'],
    ['text/xml', '<other/>', 'text/xml'],
    ['text/plain', '<!doctype html><a href=x>', 'text/plain'],
    ['text/css', 'a{}', 'text/css'],
    ['application/json', '{}', 'application/json'],
    ['application/octet-stream', 'text', 'text/plain'],
    ['application/octet-stream', '\x01\x02\x03\x04'.repeat(9), 'application/octet-stream'],
    ['text/html', '\x01\x02\x03\x04'.repeat(9), 'application/octet-stream'],
  ])('between texts it believes the header: %s with %j is %s', (header, body, mime) => {
    expect(detectMime(header, bytes(body))).toBe(mime)
  })

  it.each([
    ['  <!DOCTYPE HTML>', 'text/html'],
    ['<!-- x -->', 'text/html'],
    ['<a href=x>', 'text/html'],
    ['<abbr>', 'text/plain'],
    ['<?xml version="1.0"?><rss>', 'application/rss+xml'],
    ['<?xml version="1.0"?><x>', 'application/xml'],
    ['{"a":1}', 'application/json'],
    ['[1]', 'application/json'],
    ['hello', 'text/plain'],
    ['', 'text/plain'],
    ['\x01\x02\x03\x04'.repeat(9), 'application/octet-stream'],
  ])('without a header it looks: %j is %s', (body, mime) => {
    expect(detectMime(undefined, bytes(body))).toBe(mime)
    expect(detectMime('nonsense', bytes(body))).toBe(mime)
  })
})

describe('what is not HTML', () => {
  it('has no links and no text', () => {
    const body = bytes('<a href=x>text')
    const page = parsePage({
      url: 'http://h/',
      body,
      contentType: 'text/plain; charset=UTF-8',
      wantText: true,
      wantRequisites: true,
    })
    expect(page).toMatchObject({ mime: 'text/plain', charset: 'utf-8', links: [], title: '' })
    expect(page.text.length).toBe(0)
  })

  it('XHTML is HTML', () => {
    const body = bytes(
      '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body><a href="x"/></body></html>',
    )
    const page = parsePage({
      url: 'http://h/',
      body,
      contentType: 'application/xhtml+xml',
      wantText: false,
      wantRequisites: false,
    })
    expect(page.links).toEqual(['http://h/x'])
  })
})
