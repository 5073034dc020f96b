/**
 * What holds for every misbehaviour, said once: a family is one crawl of many hosts, each with one of them.
 */
import { beforeAll, describe, expect, it } from 'vitest'
import type { Truncation } from '../../src/model/index.js'
import { type Archived, type Crawled, crawlHostile, type Row } from './hostile-crawl.js'
import { HostileWeb, type Misbehave } from './hostile-web.js'

export interface Case {
  /** What the server does; also, made into a host name, where it does it. */
  readonly does: string
  readonly misbehave: Misbehave
  /** It misbehaves with `/robots.txt` too. */
  readonly ownRobots?: boolean
  readonly outcome: string
  /** Of row and WARC record; nothing is cut when absent. */
  readonly truncated?: Truncation
  /** False when no response was good enough to be kept. */
  readonly archived?: boolean
  /** What else is true of the row of `/`. */
  readonly row?: (row: Row, crawled: Crawled, archived: Archived | undefined) => void
}

export interface FamilyOptions {
  readonly flags?: readonly string[]
  /** What `--fetch-timeout` says. */
  readonly deadlineSeconds?: number
  /** The crawling process never holds more. */
  readonly peakBytes?: number
  /** Exit code of the crawl. */
  readonly exitCode?: number
}

export const MB = 1_000_000
/** Node, two threads and a quiet crawl take about 120 MB. */
const QUIET_PEAK_BYTES = 300 * MB
/** A deadline is met when the fetch ended this long after it: machines are busy, hangs are for ever. */
export const GRACE_MS = 15_000

export function hostOf(does: string): string {
  return `${does.toLowerCase().replace(/[^a-z0-9]+/g, '-')}.test`
}

export function describeFamily(title: string, cases: readonly Case[], options: FamilyOptions = {}): void {
  const { deadlineSeconds = 120, peakBytes = QUIET_PEAK_BYTES, flags = [], exitCode = 0 } = options
  describe(title, () => {
    let crawled: Crawled

    beforeAll(async () => {
      const web = await HostileWeb.start(
        new Map(cases.map(({ does, misbehave }) => [hostOf(does), misbehave])),
        [],
        new Set(cases.filter(({ ownRobots }) => ownRobots).map(({ does }) => hostOf(does))),
      )
      crawled = await crawlHostile(web, {
        seeds: cases.map(({ does }) => urlOf(does)),
        flags: ['--fetch-timeout', String(deadlineSeconds), ...flags],
      })
    }, 300_000)

    it.each(cases.map(one => [one.does, one] as const))('%s', (_, one) => {
      const row = crawled.rows.get(urlOf(one.does))
      const archived = crawled.archived.get(urlOf(one.does))
      expect(row?.outcome).toBe(one.outcome)
      expect(row?.truncated).toBe(one.truncated ?? '')
      expect(row?.fetchMs).toBeLessThan(deadlineSeconds * 1_000 + GRACE_MS)
      expect(archived !== undefined).toBe(one.archived ?? true)
      if (archived !== undefined) expect(archived.truncated).toBe(one.truncated ?? '')
      one.row?.(row!, crawled, archived)
    })

    it('the good site was crawled to its end first, while all of them were under way', () => {
      const { events } = crawled
      const good = events.indexOf('good done')
      for (const { does } of cases) {
        const asked = events.findIndex(event => event.startsWith(`asked ${hostOf(does)}/`))
        expect(asked, does).toBeGreaterThanOrEqual(0)
        expect(asked, does).toBeLessThan(good)
        expect(events.lastIndexOf(`gone ${hostOf(does)}`), does).toBeGreaterThan(good)
      }
    })

    it('the process lived, within its memory, and its archive verifies', () => {
      expect(crawled.end.code, crawled.end.stderr).toBe(exitCode)
      expect(crawled.end.signal).toBeNull()
      expect(crawled.warc.problems).toEqual([])
      expect(crawled.peakBytes).toBeLessThan(peakBytes)
      for (const { outcome } of cases) expect(crawled.report.outcomes[outcome]).toBeGreaterThan(0)
    })
  })
}

export function urlOf(does: string, path = '/'): string {
  return `http://${hostOf(does)}${path}`
}
