/** @module-tag deep */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { systemClock } from '../../src/compose/index.js'
import { openSqliteLedger } from '../../src/ledger/sqlite/index.js'
import { orbweaver, start, temporary } from '../kit/orbweaver.js'
import { page, SmallWeb } from '../kit/small-web.js'

/** What the ledger says of all runs so far. */
async function spentSeconds(out: string): Promise<number> {
  const ledger = openSqliteLedger(join(out, 'ledger.db'), { create: false, now: systemClock.now })
  try {
    return Number((await ledger.settings())['spent.seconds'] ?? 0)
  } finally {
    await ledger.close()
  }
}

it('the time of a run that was killed is in the report of the one that ends the crawl', async () => {
  let isSlow = true
  const links = Array.from({ length: 40 }, (_, i) => `/${i}`)
  const web = await SmallWeb.listen({
    'one.test': path => page(path, 'text', isSlow ? links : links.slice(0, 1)),
  })
  const out = temporary('crawl')
  const first = start(['crawl', 'http://one.test/', ...web.flags, '--delay', '500', '--out', out])
  while (web.askedOf('one.test').length < 2) await new Promise(resolve => setTimeout(resolve, 20))
  let spent = 0
  while (spent === 0) {
    await new Promise(resolve => setTimeout(resolve, 100))
    spent = await spentSeconds(out)
  }
  first.process.kill('SIGKILL')
  await first.ended
  isSlow = false
  await orbweaver(['set', out, 'delay=0'])
  const { code, stderr, stdout } = await orbweaver(['resume', out, '--json'])
  await web.close()
  expect(code, stderr).toBe(0)
  const { seconds, cpuSeconds, startedAt, endedAt } = JSON.parse(stdout)
  const own = (Date.parse(endedAt) - Date.parse(startedAt)) / 1000
  expect(spent).toBeGreaterThan(1)
  expect(seconds).toBeGreaterThanOrEqual(spent + own - 0.05)
  expect(cpuSeconds).toBeGreaterThan(0)
})
