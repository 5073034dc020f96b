import { describe, expect, it } from 'vitest'
import { sampleExchange } from '../../../../test/kit/store-samples.js'
import { parsePage } from '../../../page/parse/index.js'
import { crawledPage } from './crawled-page.js'

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

describe('a page that a program sees', () => {
  it('keeps its text when the next page is parsed', () => {
    const entry = { url: 'http://h/', depth: 0, hops: 0, score: 0, via: '', attempt: 1 }
    const first = crawledPage(parsed('one'), entry, sampleExchange({ url: 'http://h/' }))
    parsed('another page that is longer')
    expect(first.text).toBe('one')
  })
})
