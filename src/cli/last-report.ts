/** What a crawl directory itself says of its crawl, when the ledger it names must not be asked. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { FoundCrawl } from '../compose/index.js'
import { readTextFile } from '../files/index.js'
import { withoutControls } from '../model/index.js'
import type { Report } from '../report/index.js'
import { addressOf, againWith } from './crawl-address.js'
import { print, printJson, tell } from './output.js'
import { plural } from './summary.js'

export function showLastReport(crawl: FoundCrawl, { json }: { readonly json?: boolean }): void {
  const report = reportIn(crawl.directory ?? '')
  tell(
    `orbweaver: ${withoutControls(
      `${crawl.distrust}; its ledger ${crawl.config.ledger} was not asked. If you trust it: orbweaver status ` +
        `${againWith(crawl)} --trust, or name the ledger yourself with --ledger and --name`,
    )}\n`,
  )
  if (json) printJson({ running: null, ledgerAsked: false, report })
  else
    print(
      `${withoutControls(addressOf(crawl))}: ${report === null ? 'no report of a run' : reportLine(report)}\n`,
    )
}

function reportLine({ finishReason, endedAt, pages }: Report): string {
  const count = typeof pages === 'number' ? plural(pages, 'page') : 'unknown'
  return withoutControls(`last report: ${finishReason}, ${endedAt}, ${count}`)
}

/** Null when there is none, or it cannot be read. */
function reportIn(directory: string): Report | null {
  const path = join(directory, 'report.json')
  if (!existsSync(path)) return null
  try {
    return JSON.parse(readTextFile(path)) as Report
  } catch {
    return null
  }
}
