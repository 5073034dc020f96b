import { writeFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { pageLog } from '../../../../test/kit/row-logs.js'
import { inDirectory, sampleRow } from '../../../../test/kit/store-samples.js'
import { WordSketch } from '../../../model/bytes/index.js'
import { LIMITS } from '../../../model/index.js'
import { readSegments } from './segment.js'
import { WordNotes } from './word-notes.js'

interface Page {
  readonly url: string
  readonly title?: string
  readonly text: string
}

const HEADER = { pack: 'p', agent: 'a1', warc: 'w', baseOffset: 0 }

/** One pack after the other; `notes` by site. */
function noted(packs: readonly (readonly Page[])[]): Promise<Record<string, string>> {
  return inDirectory(directory => {
    const path = `${directory}/pages.rows`
    const log = Buffer.concat(
      packs.map(pages =>
        pageLog(
          pages.map(({ url, title = '', text }) =>
            sampleRow({ url, title, description: '', text: Buffer.from(text) }),
          ),
          HEADER,
        ),
      ),
    )
    writeFileSync(path, log)
    const notes = new WordNotes()
    const written: Buffer[] = []
    for (const segment of readSegments(path, log.length)) {
      notes.addSegment(segment)
      written.push(notes.take(false))
    }
    written.push(notes.take(true))
    const lines = gunzipSync(Buffer.concat(written)).toString().split('\n').slice(0, -1)
    return Object.fromEntries(
      lines.map(line => {
        const [site, ...rest] = line.split('\t')
        expect(rest.slice(0, -1)).toEqual(['', '', '-1', '0', '0', '0'])
        return [site, rest[6]]
      }),
    )
  })
}

function sketchOf(...texts: readonly string[]): string {
  const sketch = new WordSketch()
  for (const text of texts) sketch.add(Buffer.from(text), 0, text.length)
  return sketch.toString()
}

describe('words noted by the way', () => {
  it('are those of title and text, each with its own site, also where rows between have no text', async () => {
    const notes = await noted([
      [
        { url: 'http://a.test/1', title: 'Telescope', text: 'comet orbit' },
        { url: 'http://b.test:8080/', text: 'flour yeast' },
        { url: 'http://a.test/gone', title: 'Not found', text: '' },
        { url: 'http://a.test/2?q', text: 'planet' },
      ],
      [{ url: 'http://b.test:8080/2', text: 'crust oven' }],
    ])
    expect(notes).toEqual({
      'a.test': sketchOf('Telescope', 'comet orbit', 'planet'),
      'b.test:8080': sketchOf('flour yeast', 'crust oven'),
    })
  })

  it('are those of so many pages of a site and no more', async () => {
    const pages = Array.from({ length: LIMITS.sketchedPages }, (_, i) => ({
      url: `http://a.test/${i}`,
      text: 'comet',
    }))
    const late = { url: 'http://a.test/late', text: 'flour' }
    const other = { url: 'http://b.test/', text: 'yeast' }
    expect(await noted([pages, [late, other]])).toEqual({
      'a.test': sketchOf('comet'),
      'b.test': sketchOf('yeast'),
    })
    expect(await noted([pages.slice(1), [late]])).not.toEqual({ 'a.test': sketchOf('comet') })
  })
})
