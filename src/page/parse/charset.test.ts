import { describe, expect, it } from 'vitest'
import { parsePage } from './parse-page.js'

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

  it('a meta tag far down, where the bytes are no UTF-8', () => {
    const late = `<!--${'x'.repeat(5_000)}--><META charset='windows-1251'><title>\xe4\xe0</title>`
    expect(summary(late)).toBe('windows-1251 да')
    expect(summary(late.replace('windows-1251', 'utf-16'))).toBe('utf-8 \ufffd\ufffd')
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

/** Bytes from another encoder. Node 20's TextDecoder is wrong on those marked with a star. */
const LEGACY = [
  ['windows-1252', '“Œuvre” – 5 € ‰ Ž', '938c75767265942096203520802089208e'], // *
  ['windows-1250', 'Zażółć gęślą jaźń – „Ő”', '5a61bff3b3e62067ea9c6cb9206a619ff120962084d594'],
  ['windows-1251', 'Съешь же ещё – № 5 €', 'd1fae5f8fc20e6e520e5f9b8209620b920352088'],
  ['windows-1253', 'Καλημέρα – «΄Ω» € ‰ \ufffd', 'cae1ebe7ecddf1e1209620abb4d9bb2080208920aa'], // *
  ['windows-1254', 'İstanbul ığdır – Ş €', 'dd7374616e62756c20fdf064fd72209620de2080'],
  ['windows-1255', 'שלום – ₪ 5 € ‰ \u05ba \ufffd', 'f9ece5ed209620a420352080208920ca20d9'], // *
  ['windows-1256', 'مرحبا پ – €', 'e3d1cdc8c7208120962080'],
  ['windows-1257', 'Ąžuolas ė – €', 'c0fe756f6c617320eb20962080'],
  ['windows-1258', 'Viê\u0323t – €', '5669eaf274209620' + '80'],
  ['windows-874', 'สวัสดี – “ไทย” € \ufffd', 'cac7d1cab4d520962093e4b7c294208020db'], // *
  ['koi8-r', 'Съешь же ещё ═ ё', 'f3dfc5dbd820d6c520c5dda320a020a3'],
  ['koi8-u', 'Їжак ґанок є Ґ І ў Ў', 'b7d6c1cb20adc1cecfcb20a420bd20b620ae20be'], // *
  ['iso-8859-2', 'Příliš žluťoučký', '50f8ed6c69b920be6c75bb6f75e86bfd'],
  ['iso-8859-5', 'Привет № ё', 'bfe0d8d2d5e220f020f1'],
  ['iso-8859-7', 'Καλημέρα ΄ €', 'cae1ebe7ecddf1e120b420a4'],
  ['iso-8859-15', 'Œuvre 5 € Ž', 'bc75767265203520a420b4'],
  ['ibm866', 'Привет ═ ё', '8fe0a8a2a5e220cd20f1'],
  ['macintosh', '“Œuvre” – € ∂', 'd2ce75767265d320d020db20b6'],
  ['x-mac-cyrillic', 'Привет – ё', '8ff0e8e2e5f220d020de'],
  ['shift_jis', 'こんにちは①髙', '82b182f182c982bf82cd8740eee0'],
  ['euc-jp', 'こんにちは世界', 'a4b3a4f3a4cba4c1a4cfc0a4b3a6'],
  ['iso-2022-jp', 'こんにちは世界', '1b244224332473244b2441244f402433261b2842'],
  ['gbk', '你好，世界€', 'c4e3bac3a3accac0bde780'],
  ['gb18030', '你好，世界𠀀', 'c4e3bac3a3accac0bde795328236'],
  ['big5', '你好，世界', 'a741a66ea141a540acc9'],
  ['euc-kr', '안녕하세요 똠', 'bec8b3e7c7cfbcbcbfe4208c63'], // *
] as const

describe.each(LEGACY)('a page in %s', (charset, text, hex) => {
  const said = Buffer.from(hex, 'hex')
  const page = (head: string) =>
    Buffer.concat([
      Buffer.from(`${head}<title>`),
      said,
      Buffer.from('</title><p>'),
      said,
      Buffer.from('</p>'),
    ])

  it('is read right when the header says so', () => {
    const { title, text: body, charset: found } = parse(page(''), `text/html; charset=${charset}`)
    expect([found, title, body.toString()]).toEqual([charset, text, text])
  })

  it('is read right when its meta tag says so', () => {
    const { title, text: body } = parse(page(`<meta charset="${charset}">`))
    expect([title, body.toString()]).toEqual([text, text])
  })
})

it.each([
  ['shift_jis', '82b182ea82cd93fa967b8cea82cc95b68fcd82c582b7814282c682c482e092b782ad82c882e882dc82b782e6'],
  ['euc-jp', 'a4b3a4eccbdcb8eca4cecab8beefa4c7a4b9a1a3a4c8a4c6a4e2c4b9a4afa4caa4eaa4dea4b9'],
  ['koi8-r', 'f7d3c520d3dec1d3d4ccc9d7d9c520d3c5cdd8c920d0cfc8cfd6c920c4d2d5c720cec120c4d2d5c7c1'],
])('%s is told by its bytes alone', (charset, hex) => {
  const body = Buffer.concat([
    Buffer.from('<p>'),
    ...Array.from({ length: 8 }, () => Buffer.from(hex, 'hex')),
  ])
  expect(parse(body).charset).toBe(charset)
})

describe('a page in another charset', () => {
  it('has its paths and text in UTF-8', () => {
    const page = parse('<a href="\xe9?\xe9">\xe9\x80</a>', 'text/html; charset=windows-1252')
    expect(page.links).toEqual(['http://h/%C3%A9?%E9'])
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

describe('letters in links are sent', () => {
  const PAGES: [charset: string, letters: string, path: string, query: string][] = [
    ['windows-1252', '\xe9\x80', '%C3%A9%E2%82%AC', '%E9%80'],
    ['windows-1251', '\xcf\xf0', '%D0%9F%D1%80', '%CF%F0'],
    ['shift_jis', '\x93\xfa', '%E6%97%A5', '%93%FA'],
    ['gb2312', '\xc4\xe3', '%E4%BD%A0', '%C4%E3'],
    ['utf-8', '\xc3\xa9', '%C3%A9', '%C3%A9'],
  ]
  it.each(PAGES)('in UTF-8 in the path and in the encoding of the page in the query: %s', (...row) => {
    const [charset, letters, path, query] = row
    const page = `<a href="${letters}?q=${letters}&amp;a=b#${letters}"><a href="#?${letters}"><a href="?${letters}">`
    expect(parse(page, `text/html; charset=${charset}`).links).toEqual([
      `http://h/${path}?q=${query}&a=b`,
      'http://h/',
      `http://h/?${query}`,
    ])
  })

  it('as their number where the encoding of the page has none for them', () => {
    const page = '<a href="?q=&#x65e5;"><link rel=canonical href="?&eacute;">'
    const { links, canonical } = parse(page, 'text/html; charset=windows-1252')
    expect(links).toEqual(['http://h/?q=%26%2326085%3B', 'http://h/?%E9'])
    expect(canonical).toBe('http://h/?%E9')
    expect(parse(utf16('\ufeff<a href="?é">')).links).toEqual(['http://h/?%C3%A9'])
  })
})
