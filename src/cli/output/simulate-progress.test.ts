import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { ManualClock } from '../../../test/kit/manual-clock.js'
import { SimulationDisplay } from './simulate-progress.js'

const PROGRESS = { acknowledged: 250_000, pages: 1_000_000, virtualMs: 21_000 }
const LINE = '250,000 of 1,000,000 pages (25 %) · 21.0 s virtual · 2 min 30 s of CPU · 1.6 GB'

function shown(isTTY: boolean, runs = 1): string {
  const clock = new ManualClock()
  const stream = Object.assign(new PassThrough(), { isTTY }) as unknown as NodeJS.WriteStream & PassThrough
  const display = new SimulationDisplay(clock, stream, () => ({ cpuMs: 150_000, bytes: 1.6e9 }))
  for (let second = 0; second < 31; second++) {
    display.look(PROGRESS, 7, runs)
    clock.advance(1_000)
  }
  display.stop()
  return String(stream.read() ?? '')
}

describe('how far a simulation is', () => {
  it('is a plain line now and then, with what it has used', () => {
    expect(shown(false)).toBe(`${LINE}\n${LINE}\n`)
  })

  it('is one line on a terminal, rewritten in place and gone at the end', () => {
    const text = shown(true)
    expect(text).not.toContain('\n')
    expect(text.split('\r\x1b[K')).toEqual(['', ...new Array(30).fill(LINE), ''])
  })

  it('says which of many runs it is', () => {
    expect(shown(false, 10_000)).toMatch(/^run 7 of 10,000 · 250,000 of/)
  })
})
