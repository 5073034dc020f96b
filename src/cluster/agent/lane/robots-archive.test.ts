import { beforeEach, expect, it } from 'vitest'
import { madeSite } from '../../../../test/kit/made-site.js'
import { ManualClock } from '../../../../test/kit/manual-clock.js'
import { sampleExchange } from '../../../../test/kit/store-samples.js'
import { PackBuilder } from '../../../data/store/index.js'
import { Stop } from '../../../model/index.js'
import { OpenPack } from '../pack/index.js'
import { PageFaults, type SiteCrawl } from '../site/index.js'
import { RobotsArchive } from './robots-archive.js'

const robots = (status = 200) => sampleExchange({ url: 'http://a.test/robots.txt', status })
let site: SiteCrawl
let pack: OpenPack
let stop: Stop
let faults: string[]
let waits: number
let full: number

beforeEach(() => {
  site = madeSite({ clock: new ManualClock() })
  pack = new OpenPack('p', 'agent-1', 0, new PackBuilder({ agent: 'agent-1', records: null, tables: true }))
  stop = new Stop()
  faults = []
  waits = 0
  full = 0
})

function newArchive(): RobotsArchive {
  const transmitter = {
    pack,
    hasRoom: () => full-- <= 0,
    shipped: async () => void waits++,
  }
  return new RobotsArchive(transmitter, new PageFaults(event => void faults.push(event)), stop.signal)
}

it('responses are archived with their cell, and are no pages', async () => {
  await newArchive().add(site, [robots(301), robots()])
  expect(pack.builder.entries).toBe(2)
  expect(site.packs.uncommitted).toBe(1)
  expect(pack.cellFor(site).toPackCell()).toMatchObject({ pages: 0, settled: 0 })
})

it('they wait for room in the pack', async () => {
  full = 2
  await newArchive().add(site, [robots()])
  expect([waits, pack.builder.entries]).toEqual([2, 1])
})

it('those of a lost cell, or of an agent that stops, are dropped', async () => {
  stop.abort()
  await newArchive().add(site, [robots()])
  stop = new Stop()
  site.leave('lost')
  await newArchive().add(site, [robots()])
  expect(pack.isEmpty).toBe(true)
})

it('one that cannot be archived is logged, and the others are archived', async () => {
  const bad = {
    ...robots(),
    header: () => {
      throw new RangeError('bad header')
    },
  }
  await newArchive().add(site, [bad, robots()])
  expect(faults).toEqual(['internal error'])
  expect(pack.builder.entries).toBe(1)
})
