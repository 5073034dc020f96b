import { describe, expect, it } from 'vitest'
import { parsePage } from './parse-page.js'

function links(body: string, contentType = 'application/xhtml+xml'): string[] {
  const page = { url: 'http://h/', body: Buffer.from(body), contentType, wantText: true }
  return parsePage({ ...page, wantRequisites: false }).links.map(link => link.slice('http://h/'.length))
}

const PAGE = `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/><style />
<script src="x.js" data-a='"'/></head><body><a href="a"/><textarea name="t"/><iframe src="f"/><a href="b">é</a></body></html>`

describe('tags that XML closes in themselves', () => {
  it('end there, where the server says XHTML', () => {
    expect(links(PAGE)).toEqual(['a', 'f', 'b'])
    expect(links(PAGE, 'text/xml')).toEqual(['a', 'f', 'b'])
  })

  it('go on to their end tag in HTML', () => {
    expect(links(PAGE, 'text/html')).toEqual([])
  })

  it('are told from values that look like their end', () => {
    expect(links('<html><script title="a/>b">"<a href="no"></a>"</script><a href="a"/></html>')).toEqual([
      'a',
    ])
    expect(links('/>/><html>/><br/><script>/></script><a href="a"/>')).toEqual(['a'])
  })

  it('cost time in proportion to the page, whatever it is made of', () => {
    const many = (text: string) => links(text.repeat(200_000)).length
    expect(many('/>') + many('<script') + many('<script "/>') + many('<title/>')).toBe(0)
  })
})
