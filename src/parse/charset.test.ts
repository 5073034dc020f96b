import { describe, expect, it } from 'vitest'
import { parsePage } from './index.js'

function parse(body: Buffer | string, contentType: string | undefined = 'text/html') {
  const bytes = typeof body === 'string' ? Buffer.from(body, 'latin1') : body
  return parsePage({ url: 'http://h/', body: bytes, contentType, wantText: true, wantRequisites: false })
}

function summary(body: Buffer | string, contentType?: string) {
  const page = parse(body, contentType)
  return `${page.charset} ${page.title}`
}

const utf16 = (text: string, big = false) =>
  big ? Buffer.from(text, 'utf16le').swap16() : Buffer.from(text, 'utf16le')

describe('the charset is that of', () => {
  it('the byte order mark, before all else', () => {
    const header = 'text/html; charset=windows-1252'
    expect(summary(Buffer.from('\ufeff<title>é</title>'), header)).toBe('utf-8 é')
    expect(summary(utf16('\ufeff<title>é</title>'), header)).toBe('utf-16le é')
    expect(summary(utf16('\ufeff<title>é</title>', true), header)).toBe('utf-16be é')
  })

  it('the header, before what the page says', () => {
    expect(summary('<meta charset=utf-8><title>\xe9</title>', 'text/html;charset="ISO-8859-1"')).toBe(
      'windows-1252 é',
    )
    expect(summary('<title>\xe1</title>', 'text/html; charset=koi8-r')).toBe('koi8-r А')
    expect(summary('<meta charset=koi8-r><title>\xe1</title>', 'text/html; charset=nonsense')).toBe(
      'koi8-r А',
    )
  })

  it('the meta tag', () => {
    expect(summary('<meta charset="shift_jis"><title>\x83\x65</title>')).toBe('shift_jis テ')
    expect(
      summary('<meta http-equiv=content-type content="text/html; charset=gb2312"><title>\xc4\xe3</title>'),
    ).toBe('gbk 你')
    expect(summary('<meta charset=utf-16><title>\xc3\xa9</title>')).toBe('utf-8 é')
  })

  it('the XML declaration', () => {
    expect(summary('<?xml version="1.0" encoding="iso-8859-2"?><html><title>\xb1</title>')).toBe(
      'iso-8859-2 ą',
    )
  })

  it('the bytes, where nothing is declared', () => {
    expect(summary(Buffer.from('<title>é€</title>'))).toBe('utf-8 é€')
    expect(summary('<title>plain</title>')).toBe('utf-8 plain')
    expect(summary(utf16('<title>é</title>'))).toBe('utf-16le é')
    expect(summary(utf16('<title>é</title>', true))).toBe('utf-16be é')
    const russian =
      'Все счастливые семьи похожи друг на друга, каждая несчастливая семья несчастлива по-своему. '
    const bytes = Buffer.from([...russian.repeat(4)].map(c => cp1251(c.codePointAt(0)!)))
    expect(summary(Buffer.concat([Buffer.from('<title>'), bytes, Buffer.from('</title>')]))).toBe(
      `windows-1251 ${russian.repeat(4).trim()}`,
    )
  })

  it('windows-1252, where nothing helps: and that is not Latin-1', () => {
    expect(summary('<meta charset=latin1><title>\x80 \x92</title>')).toBe('windows-1252 € ’')
    expect(summary('<title>caf\xe9</title>')).toMatch(/ café$/)
  })
})

function cp1251(c: number): number {
  return c >= 0x410 && c <= 0x44f ? c - 0x410 + 0xc0 : c
}

describe('a page in another charset', () => {
  it('has its links and text in UTF-8', () => {
    const page = parse('<a href="\xe9?\xe9">\xe9\x80</a>', 'text/html; charset=windows-1252')
    expect(page.links).toEqual(['http://h/%C3%A9?%C3%A9'])
    expect(page.text.toString()).toBe('é€')
  })

  it('has no text when its encoding is one that is never decoded', () => {
    expect(parse('<title>a</title><a href=a>', 'text/html; charset=iso-2022-kr').links).toEqual([])
  })
})

describe('bytes that are wrong', () => {
  it('become replacement characters', () => {
    const page = parse('<a href="a\xff">\xe2\x82 x\xc0\xaf\xed\xa0\x80', 'text/html; charset=utf-8')
    expect(page.links).toEqual(['http://h/a%EF%BF%BD'])
    expect(page.text.toString()).toBe('\ufffd x\ufffd\ufffd\ufffd\ufffd\ufffd')
    expect(Buffer.from(page.text.toString()).equals(page.text)).toBe(true)
  })

  it('do not trip the search for a charset', () => {
    expect(summary('<meta http-equiv=content-type content="charset"><title>a</title>')).toBe('utf-8 a')
    expect(summary('<meta http-equiv=content-type content="charset=  "><title>a</title>')).toBe('utf-8 a')
    expect(summary('')).toBe('utf-8 ')
  })
})
