/** Reads the date in a URL: `/2026/11/`, `?date=2026-11-15`, `?year=2026&month=11`, `?time=1795910400`. */
import { fingerprint, takeFingerprint } from '../../../model/bytes/index.js'
import { pathStart } from '../../../model/url/index.js'

export interface UrlDate {
  /** Days since 1970. */
  readonly day: number
  /** Whether the URL names a day or a whole month. */
  readonly unit: 'day' | 'month'
  /** Equal for all URLs that differ only in their date. */
  readonly pattern: number
}

const DAY_MS = 86_400_000
const YEAR = '(1[0-9]\\d\\d|[2-9]\\d\\d\\d)'
const MONTH = '(0?[1-9]|1[0-2])'
const DAY = '(0?[1-9]|[12]\\d|3[01])'
/** Year, month and perhaps day with the same separator, in a folder, a file name or a value. */
const MARKED = new RegExp(
  `(?<=[/=_.~-]|%2F)${YEAR}([/_.-]|%2F)${MONTH}(?:\\2${DAY})?(?=[/?&._~-]|%2F|$)`,
  'i',
)
const COMPACT = /(?<=[/=])(1[89]\d\d|2\d\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])?(?=[/?&.]|$)/
const YEAR_PARAMETER = new RegExp(`(?<=[?&](?:year|yr|y|jahr|annee|ano)=)${YEAR}(?=&|$)`, 'i')
const MONTH_PARAMETER = new RegExp(`(?<=[?&](?:month|mon|mo|m|monat|mois|mes)=)${MONTH}(?=&|$)`, 'i')
const DAY_PARAMETER = new RegExp(`(?<=[?&](?:day|d|tag|jour|dia)=)${DAY}(?=&|$)`, 'i')
const SECONDS = /(?<=[?&](?:time|timestamp|ts|date|day|start|cal_d|cur_time)=)(\d{9,11})(?=&|$)/i
/** Most URLs have no four digits in a row, and so no date. */
const MAYBE = /\d{4}/

export function dateOf(url: string): UrlDate | null {
  const start = pathStart(url)
  const target = url.slice(start)
  if (!MAYBE.test(target)) return null
  return marked(target) ?? parameters(target) ?? compact(target) ?? seconds(target)
}

function marked(target: string): UrlDate | null {
  const match = MARKED.exec(target)
  if (match === null) return null
  return made(target, Number(match[1]), Number(match[3]), match[4], [match.index, match[0].length])
}

function compact(target: string): UrlDate | null {
  const match = COMPACT.exec(target)
  return match && made(target, Number(match[1]), Number(match[2]), match[3], [match.index, match[0].length])
}

function parameters(target: string): UrlDate | null {
  const year = YEAR_PARAMETER.exec(target)
  const month = year && MONTH_PARAMETER.exec(target)
  if (!month) return null
  const pattern = target.replace(YEAR_PARAMETER, '').replace(MONTH_PARAMETER, '').replace(DAY_PARAMETER, '')
  return made(pattern, Number(year[1]), Number(month[1]), DAY_PARAMETER.exec(target)?.[1], [0, 0])
}

function seconds(target: string): UrlDate | null {
  const match = SECONDS.exec(target)
  if (match === null) return null
  const pattern = target.replace(SECONDS, '')
  return { day: Math.floor(Number(match[1]) / 86_400), unit: 'day', pattern: hashOf(pattern) }
}

/** `cut`: position and length of the date. */
function made(
  target: string,
  year: number,
  month: number,
  day: string | undefined,
  cut: readonly [number, number],
): UrlDate {
  const rest = target.slice(0, cut[0]) + target.slice(cut[0] + cut[1])
  const unit = day === undefined ? 'month' : 'day'
  return {
    day: Math.floor(Date.UTC(year, month - 1, day === undefined ? 1 : Number(day)) / DAY_MS),
    unit,
    pattern: hashOf(`${unit}${rest}`),
  }
}

function hashOf(text: string): number {
  takeFingerprint(text)
  return fingerprint.low
}
