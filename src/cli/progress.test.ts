import { PassThrough } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { ManualClock } from '../../test/kit/manual-clock.js'
import { ProgressDisplay } from './progress.js'

const PROGRESS = { pages: 1_286, bytes: 4_600_000, errors: 12, queued: 851, sites: 7, activeSites: 7 }

async function shown(terminal: { isTTY?: boolean; columns?: number; rows?: number }, waiting = '') {
  const clock = new ManualClock()
  const stream = Object.assign(new PassThrough(), terminal) as unknown as NodeJS.WriteStream & PassThrough
  const display = await ProgressDisplay.start(clock, stream, () => ({ ...PROGRESS, waiting }))
  clock.advance(10_000)
  display.say('stopping')
  clock.advance(10_000)
  display.stop()
  expect(clock.pending).toBe(0)
  return stripVTControlCharacters(String(stream.read()))
}

describe('the progress of a crawl', () => {
  it('is a line on a terminal that is wide enough, and says what is waited for', async () => {
    const text = await shown({ isTTY: true, columns: 120, rows: 30 }, 'a.test in 2 s: --delay')
    expect(text).toMatch(
      /^\[#{12}-{8}\] 1,286 pages · 0\.0\/s · 851 queued · 12 errors · 7 of 7 sites · 4\.6 MB · 0\.0 s$/m,
    )
    expect(text).toContain('  waiting: a.test in 2 s: --delay')
  })

  it.each([0, 80])('fits a terminal of %d columns; 0 is one that does not know its size', async columns => {
    const text = await shown({ isTTY: true, columns, rows: columns === 0 ? 0 : 24 })
    expect(text).toMatch(/1,286 pages .* 851 queued\n {2}12 errors · 7 of 7 sites/)
    for (const line of text.split('\n')) expect(line.length).toBeLessThan(80)
  })

  it('is a plain line now and then elsewhere; what is said stands between', async () => {
    const text = await shown({}, 'x')
    expect(text.split('\n').map(line => line.replace(/.*(queued|waiting).*/, '$1'))).toEqual([
      'waiting',
      'stopping',
      'waiting',
      '',
    ])
  })

  it('leaves what is said on a terminal where it was said', async () => {
    expect(await shown({ isTTY: true, columns: 120, rows: 30 })).toMatch(/^stopping$/m)
  })
})
