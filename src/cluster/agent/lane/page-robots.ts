/**
 * What a page asks of robots, by its meta elements and its headers; nothing when robots are not listened to.
 */

import type { Exchange, Millis } from '../../../model/index.js'
import { NO_PAGE_RULES, type PageRules, pageRules } from '../../../page/robots/index.js'

/** The name that robots.txt files and pages know us by. */
export const PRODUCT_TOKEN = 'orbweaver'

export function rulesOfPage(
  mode: 'strict' | 'rfc9309' | 'ignore',
  metaRobots: string,
  exchange: Exchange,
  now: Millis,
): PageRules {
  const header = mode === 'ignore' ? undefined : exchange.header('x-robots-tag')
  if (mode === 'ignore' || (header === undefined && metaRobots === '')) return NO_PAGE_RULES
  const headers = header === undefined ? [] : (exchange.headerValues?.('x-robots-tag') ?? [header])
  return pageRules(metaRobots, headers, PRODUCT_TOKEN, now)
}
