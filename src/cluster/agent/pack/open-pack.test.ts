/**
 * Found by the simulator: an agent that lost a cell and got it again while one pack filled stored nothing of
 * it.
 */
import { expect, it } from 'vitest'
import { sampleRow } from '../../../../test/kit/store-samples.js'
import { PackBuilder } from '../../../data/store/index.js'
import type { PackRows } from '../../../data/store/pack-store.js'
import { PageRowView, PageText } from '../../../data/store/tables/index.js'
import type { SiteCrawl } from '../site/index.js'
import { OpenPack } from './open-pack.js'

/** As much of a site as a pack looks at when robots.txt is archived. */
function leased(epoch: number): SiteCrawl {
  return { cell: 'a.test', leaseKey: `a.test ${epoch}`, lane: 1, uncommitted: 0, cursor: 0 } as SiteCrawl
}

function urlsOf({ bytes }: PackRows): string[] {
  const view = new PageRowView()
  const urls: string[] = []
  for (let at = 0; at < bytes.length; ) {
    at += view.moveTo(bytes, at)
    urls.push(view.string(PageText.url))
  }
  return urls
}

it('a pack drops what came under a lost lease, not what the next lease of that cell brings', () => {
  const builder = new PackBuilder({ agent: 'a', records: null, tables: true })
  const pack = new OpenPack('p', 'a', 0, builder)
  const [before, after] = [leased(1), leased(2)]
  for (const [site, url] of [
    [before, 'http://a.test/1'],
    [after, 'http://a.test/2'],
  ] as const) {
    pack.cellFor(site)
    builder.add({ leaseKey: site.leaseKey, row: sampleRow({ url }) })
    if (site === before) pack.drop([before])
  }
  expect(pack.sites).toEqual([after])
  expect(urlsOf(builder.toPack('p').pages)).toEqual(['http://a.test/2'])
})
