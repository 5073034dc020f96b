import { describe, it } from 'vitest'
import { runTrial } from './trial.js'

/** `ORBWEAVER_SOAK=1` (`npm run soak`): the trial of issue 5 in full. */
const FULL = process.env.ORBWEAVER_SOAK !== undefined

const FAULTS = ['freeze', 'kill', 'thread', 'freeze', 'kill', 'thread', 'kill'] as const
const ALL_FAULTS = Array.from(
  { length: 20 },
  (_, i) => ['kill', i % 3 === 0 ? 'freeze' : 'thread'] as const,
).flat()

const IN_FULL = {
  seed: 41,
  sites: 60,
  pages: 20_000,
  faults: ALL_FAULTS,
  latencyMs: 150,
  deadlineMs: 600_000,
}
const IN_SHORT = { seed: 41, sites: 10, pages: 2_000, faults: FAULTS, latencyMs: 200, deadlineMs: 60_000 }

describe('four agents, killed, frozen and resumed while packs are uncommitted', () => {
  it('store every page once, and no site sees two of them at once or two requests within its delay', async () => {
    await runTrial({ ...(FULL ? IN_FULL : IN_SHORT), showsRefusals: FULL })
  }, 3_600_000)
})
