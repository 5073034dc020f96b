/** Walks through time. */
import { describe, expect, it } from 'vitest'
import { Calendars } from './calendar.js'
import { dateOf } from './url-date.js'

const at = (path: string) => `https://example.org${path}`
const NOW = Date.UTC(2026, 10, 15)

describe('dates in URLs', () => {
  const day = (y: number, m: number, d = 1) => Math.floor(Date.UTC(y, m - 1, d) / 86_400_000)

  it.each<[string, number, 'day' | 'month']>([
    ['/2026/11/', day(2026, 11), 'month'],
    ['/blog/2026/11/15/title', day(2026, 11, 15), 'day'],
    ['/cal/2026-11', day(2026, 11), 'month'],
    ['/cal/month-2026-11-05.html', day(2026, 11, 5), 'day'],
    ['/cal?date=2026-11-15', day(2026, 11, 15), 'day'],
    ['/cal?month=2026-11&view=list', day(2026, 11), 'month'],
    ['/cal?year=2026&month=11', day(2026, 11), 'month'],
    ['/cal?month=3&day=4&year=2026', day(2026, 3, 4), 'day'],
    ['/cal/20261115', day(2026, 11, 15), 'day'],
    ['/cal?m=202611', day(2026, 11), 'month'],
    ['/calendar/view.php?view=day&time=1795910400', Math.floor(1_795_910_400 / 86_400), 'day'],
    ['/cal/9999/12/', day(9999, 12), 'month'],
  ])('%s', (path, expected, unit) => expect(dateOf(at(path))).toMatchObject({ day: expected, unit }))

  it.each(['/', '/2026', '/item/20261', '/2026/13/', '/a-12-34', '/p?id=20261345', '/1234/5678/'])(
    '%s has none',
    path => expect(dateOf(at(path))).toBeNull(),
  )

  it('URLs that differ in their date only share a pattern', () => {
    const pattern = (path: string) => dateOf(at(path))?.pattern
    expect(pattern('/cal?year=2026&month=11')).toBe(pattern('/cal?year=1999&month=1'))
    expect(pattern('/cal/2026/11/')).toBe(pattern('/cal/2031/01/'))
    expect(pattern('/cal/2026/11/')).not.toBe(pattern('/cal/2026/11/05/'))
    expect(pattern('/cal?date=2026-11-15&v=1')).not.toBe(pattern('/cal?date=2026-11-15&v=2'))
  })
})

describe('calendars', () => {
  const month = (index: number) =>
    at(`/cal/${Math.floor(index / 12)}/${String((index % 12) + 1).padStart(2, '0')}/`)
  const today = 2026 * 12 + 10

  it('a walk ends two years ahead', () => {
    const calendars = new Calendars()
    let index = today
    expect(calendars.judge(month(index), at('/'), NOW)).toBe(false)
    while (!calendars.judge(month(index + 1), month(index), NOW)) index++
    expect(index - today).toBeGreaterThanOrEqual(23)
    expect(index - today).toBeLessThanOrEqual(26)
  })

  it('a walk back over honest pages goes on to the beginning of time, 1970', () => {
    const calendars = new Calendars()
    let index = today
    while (!calendars.judge(month(index - 1), month(index), NOW)) {
      index--
      calendars.read(dateOf(month(index))!, index, true, NOW)
    }
    expect(index).toBe(1970 * 12)
  })

  it('a walk over empty pages ends soon, and does not begin again after a rebuild', () => {
    const calendars = new Calendars()
    const rebuilt = new Calendars()
    let index = today
    for (;;) {
      const isRefused = calendars.judge(month(index - 1), month(index), NOW)
      rebuilt.replay(month(index - 1), month(index), isRefused, NOW)
      if (isRefused) break
      index--
      // Month names make twelve different empty pages.
      calendars.read(dateOf(month(index))!, index % 12, false, NOW)
    }
    expect(today - index).toBeLessThan(60)
    expect(rebuilt.judge(month(index - 2), month(index - 1), NOW)).toBe(true)
    expect(rebuilt.judge(month(today - 5), month(today - 4), NOW)).toBe(false)
  })

  it('what a page without a date links to is honest, and what lies between', () => {
    const calendars = new Calendars()
    expect(calendars.judge(month(1850 * 12), at('/archive'), NOW)).toBe(false)
    expect(calendars.judge(month(2040 * 12), at('/plans'), NOW)).toBe(false)
    expect(calendars.judge(month(1900 * 12), month(1899 * 12), NOW)).toBe(false)
    expect(calendars.judge(month(1849 * 12), month(1850 * 12), NOW)).toBe(true)
  })

  it('the days of a month, and what stands below a day, are as honest as the page that links to them', () => {
    const calendars = new Calendars()
    expect(calendars.judge(at('/paper/1921/05/'), at('/paper/1921/'), NOW)).toBe(false)
    expect(calendars.judge(at('/paper/1921/05/17/'), at('/paper/1921/05/'), NOW)).toBe(false)
    expect(calendars.judge(at('/paper/1921/05/17/front.html'), at('/paper/1921/05/17/'), NOW)).toBe(false)
    expect(calendars.judge(at('/paper/1921/06/01/'), at('/paper/1921/05/31/'), NOW)).toBe(true)
  })
})
