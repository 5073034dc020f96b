/** The summary at the end: what was fetched, what was not and why, what to do next. */

import type { CrawlConfig } from '../../config/index.js'
import { number, type OutcomeCode, outcomeRule, plural, shellWord } from '../../model/index.js'
import type { Report } from '../../report/index.js'
import { SHOWN_SITES } from '../limits.js'

export function summaryOf(report: Report, directory: string, config: CrawlConfig): string {
  const aside = asideLines(report.setAside, report.parkedSites, Date.parse(report.endedAt))
  const lines = [
    headline(report),
    ...changes(report, config),
    ...troubles(report),
    ...refused(report),
    ...aside,
    ...report.damaged.map(line => `Damaged: ${line}`),
    ...(report.damaged.length > 0 ? [`Repair it: orbweaver repair ${shellWord(directory)}`] : []),
    ...next(report, directory, config),
  ]
  return `${lines.join('\n')}\n`
}

function headline(report: Report): string {
  const sites = plural(report.sites, 'site')
  const speed = report.seconds >= 1 ? `, ${report.pagesPerSecond.toFixed(1)} pages/s` : ''
  if (report.pages === 0 && report.finishReason === 'done')
    return `No page could be fetched from ${sites} in ${duration(report.seconds)}`
  const how = {
    done: 'Done',
    limit: 'Page limit reached',
    parked: 'Done, except for parked sites',
    stopped: 'Stopped',
  }[report.finishReason]
  return `${how}: ${plural(report.pages, 'page')} from ${sites} in ${duration(report.seconds)}${speed}, ${size(report.bytes)}`
}

/** Lines that compare this crawl with the previous one. */
function changes({ recrawl, finishReason }: Report, { previous, tables }: CrawlConfig): string[] {
  if (recrawl === null && finishReason === 'stopped' && previous !== undefined && tables !== 'none')
    return [`Since ${previous}: the comparison follows when the crawl is done`]
  if (recrawl === null) return []
  const counts = (['new', 'changed', 'unchanged', 'gone'] as const).map(
    name => `${number(recrawl[name])} ${name}`,
  )
  const rest = recrawl.noPage === 0 ? '' : `, ${number(recrawl.noPage)} no longer a page`
  return [`Since ${recrawl.previous}: ${counts.join(', ')}${rest}`]
}

function troubles(report: Report): string[] {
  const lines: string[] = []
  for (const [code, count] of Object.entries(report.outcomes)) {
    if (code === 'OK' || code === 'NOT_MODIFIED') continue
    const rule = outcomeRule(code as OutcomeCode)
    lines.push(`  ${number(count).padStart(9)}  ${rule.meaning}${rule.advice ? ` (${rule.advice})` : ''}`)
  }
  if (report.queued > 0) lines.push(`  ${number(report.queued).padStart(9)}  still queued`)
  if (lines.length > 0) lines.unshift('Other outcomes:')
  const named = report.troubledSites.filter(
    site => outcomeRule(site.code as OutcomeCode).kind !== 'stored' && site.detail,
  )
  for (const site of named.slice(0, SHOWN_SITES))
    lines.push(`  ${site.site}: ${number(site.count)} x ${site.code}, ${site.detail}`)
  if (named.length > SHOWN_SITES)
    lines.push(`  … and ${number(named.length - SHOWN_SITES)} more in report.json`)
  return lines
}

/**
 * Names the sites that were not crawled because their robots.txt could not be read, with the answer of each
 * and advice for the user.
 */
function refused(report: Report): string[] {
  const { mode, refused: total, refusedSites } = report.robots
  if (total === 0) return []
  const shown = refusedSites.slice(0, SHOWN_SITES)
  const lines = shown.map(
    ({ origin, detail, code }) => `  ${origin}: ${detail}${code === 'ROBOTS_GIVEN_UP' ? ' (given up)' : ''}`,
  )
  const advice =
    mode === 'strict'
      ? '; with --robots rfc9309, also for resume, any 4xx answer means "no rules"'
      : '; resume requests it again'
  return [
    `Not touched, because robots.txt could not be read (${plural(total, 'site')})${advice}:`,
    ...lines,
    ...(total > shown.length ? [`  … and ${number(total - shown.length)} more`] : []),
  ]
}

/** Sites that wait for `resume`, and why. */
export function asideLines(
  sites: readonly { site: string; until: string | number; why: string; queued: number }[],
  count: number,
  now: number,
): string[] {
  if (count === 0) return []
  const shown = sites.slice(0, SHOWN_SITES).map(({ site, until, why, queued }) => {
    const at = new Date(until)
    const when = at.getTime() > now ? `, until ${at.toISOString().slice(0, 19).replace('T', ' ')} UTC` : ''
    return `  ${site}: ${plural(queued, 'URL')} left${when}${why === '' ? '' : `; ${why}`}`
  })
  const rest = count - shown.length
  return ['Parked:', ...shown, ...(rest > 0 ? [`  … and ${plural(rest, 'more site')}`] : [])]
}

function next(report: Report, directory: string, config: CrawlConfig): string[] {
  const kept = [
    ...(config.archive === 'none' ? [] : ['archive/ (WARC)']),
    ...(config.tables === 'none' ? [] : ['tables/ (Parquet)']),
    'report.json',
  ]
  const place = shellWord(directory)
  const lines = [`In ${directory}: ${kept.join(', ')}`]
  if (report.pages > 0 && config.tables !== 'none')
    lines.push(
      `Ask it: orbweaver query ${place} "SELECT url, title FROM pages WHERE outcome IN ('OK', 'NOT_MODIFIED') LIMIT 10"`,
    )
  if (report.troubledSites.length > 0 && config.tables !== 'none')
    lines.push(
      `What failed: orbweaver query ${place} "SELECT url, outcome, fetch_status FROM pages WHERE outcome NOT IN ('OK', 'NOT_MODIFIED', 'REDIRECT')"`,
    )
  if (report.finishReason !== 'done') lines.push(`Go on:  orbweaver resume ${place}`)
  return lines
}

export function size(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB']
  let value = bytes
  let unit = 0
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000
    unit++
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`
}

export function duration(seconds: number): string {
  if (seconds < 60) return `${seconds.toFixed(1)} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
