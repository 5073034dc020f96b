/**
 * Found by the simulator: an agent that lost a cell and got it again while one pack filled stored nothing of
 * it.
 */
import { expect, it } from 'vitest'
import { madeSite } from '../../../../test/kit/made-site.js'
import { ManualClock } from '../../../../test/kit/manual-clock.js'
import { sampleRow } from '../../../../test/kit/store-samples.js'
import { PackBuilder } from '../../../data/store/index.js'
import type { PackRows } from '../../../data/store/pack-store.js'
import { PageRowView, PageText } from '../../../data/store/tables/index.js'
import { OpenPack } from './open-pack.js'

const clock = new ManualClock()

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
  const [before, after] = [madeSite({ clock, epoch: 1 }), madeSite({ clock, epoch: 2 })]

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
