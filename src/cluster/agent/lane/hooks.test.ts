import { describe, expect, it } from 'vitest'
import { parsePage } from '../../../page/parse/index.js'
import { crawledPage } from './hooks.js'

function parsed(html: string) {
  const body = Buffer.from(html)
  return parsePage({
    url: 'http://h/',
    body,
    contentType: 'text/html',
    wantText: true,
    wantRequisites: false,
  })
}

describe('a page that a hook sees', () => {
  it('keeps its text when the next page is parsed', () => {
    const facts = { url: 'http://h/', status: 200, depth: 0, fetchedAt: 0, fetchMs: 1, body: Buffer.alloc(0) }
    const first = crawledPage(parsed('one'), facts)
    parsed('another page that is longer')
    expect(first.text).toBe('one')
  })
})
