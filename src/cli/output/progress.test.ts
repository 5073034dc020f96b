import { PassThrough } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { ManualClock } from '../../../test/kit/manual-clock.js'
import type { Progress } from '../../report/index.js'
import { ProgressDisplay } from './progress.js'

const PROGRESS = {
  ...{
    pages: 1_286,
    earlierPages: 1_286,
    maxPages: null,
    bytes: 4_600_000,
    errors: 12,
    queued: 851,
    sites: 7,
    activeSites: 7,
  },
  waiting: '',
}

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
      /^\[#{12}-{8}\] 1,286 pages · 0\.0\/s · 851 queued · 12 failed or refused · 7 of 7 sites · 4\.6 MB · 0\.0 s$/m,
    )
    expect(text).toContain('  waiting: a.test in 2 s: --delay')
  })

  it.each([0, 80])('fits a terminal of %d columns; 0 is one that does not know its size', async columns => {
    const text = await shown({ isTTY: true, columns, rows: columns === 0 ? 0 : 24 })
    expect(text).toMatch(/1,286 pages .* 851 queued\n {2}12 failed or refused · 7 of 7 sites/)
    for (const line of text.split('\n')) expect(line.length).toBeLessThan(80)
  })

  it('is shown on a terminal that knows its width but not its height', async () => {
    expect(await shown({ isTTY: true, columns: 120, rows: 0 })).toContain('1,286 pages')
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

  it('fills its bar by the page limit where that ends the crawl sooner than what is known', async () => {
    const bars = await Promise.all(
      [null, 60, 1_000].map(maxPages =>
        lines([{ ...PROGRESS, pages: 58, errors: 0, queued: 522, maxPages }]),
      ),
    )
    expect(bars.map(([line]) => line.slice(0, 22))).toEqual([
      `[##${'-'.repeat(18)}]`,
      `[${'#'.repeat(19)}-]`,
      `[##${'-'.repeat(18)}]`,
    ])
  })

  it('counts no page twice into its speed when a crawl is resumed', async () => {
    const at = (pages: number) => ({ ...PROGRESS, pages, earlierPages: 5_000 })
    const shownLines = await lines([null, at(5_010), at(5_030), at(5_100)])
    expect(shownLines[0]).toBe('starting')
    expect(shownLines.slice(1).map(line => line.split(' · ')[1])).toEqual(['0.5/s', '1.0/s', '2.5/s'])
  })
})

/** The plain lines of a crawl that is looked at every ten seconds. */
async function lines(looks: readonly (Progress | null)[]): Promise<string[]> {
  const clock = new ManualClock()
  const stream = new PassThrough() as unknown as NodeJS.WriteStream & PassThrough
  let look = -1
  const read = () => looks[Math.max(0, look)]
  const display = await ProgressDisplay.start(clock, stream, () => (look < 0 ? null : read()))
  for (look = 0; look < looks.length; look++) clock.advance(10_000)
  display.stop()
  return String(stream.read()).trimEnd().split('\n')
}
