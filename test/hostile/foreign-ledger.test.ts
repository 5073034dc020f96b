/**
 * A ledger that the user names is trusted with settings, not with code: its hooks run only where they are
 * known.
 *
 * @module-tag deep
 */
import { existsSync, rmSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { EXIT } from '../../src/cli/exit/index.js'
import { markingHooks, newUser, smallSite, stoppedCrawl } from '../kit/foreign-directory.js'
import { orbweaver } from '../kit/orbweaver.js'
import { PostgresServer } from '../kit/postgres.js'
import type { SmallWeb } from '../kit/small-web.js'

let web: SmallWeb
let postgres: PostgresServer

beforeAll(async () => {
  web = await smallSite()
  postgres = await PostgresServer.start()
})

afterAll(async () => {
  await web.close()
  await postgres.remove()
})

it('hooks that a ledger names need --trust, once; settings do not', async () => {
  const { path, mark } = markingHooks()
  const me = newUser()
  const named = (name: string) => ['--ledger', postgres.url(), '--name', name]
  const owner = newUser()
  await stoppedCrawl(web, owner, ...named('hooked'), '--hooks', path)
  await stoppedCrawl(web, owner, ...named('plain'))
  rmSync(mark)
  const agent = (name: string, ...flags: string[]) =>
    orbweaver(['agent', ...named(name), '--store', 'none', ...flags], me)
  const refused = await agent('hooked')
  expect([refused.code, refused.stderr]).toEqual([
    EXIT.untrusted,
    expect.stringMatching(/"hooked" was not made by you.*run the hooks .*sha256 [\da-f]{64}.*--trust\n$/),
  ])
  expect(existsSync(mark)).toBe(false)
  expect((await agent('plain')).code).toBe(EXIT.done)
  expect((await agent('hooked', '--trust')).code).toBe(EXIT.done)
  expect((await agent('hooked')).code).toBe(EXIT.done)
  const status = await orbweaver(['status', ...named('hooked')], newUser())
  expect(status.code, status.stderr).toBe(EXIT.done)
  const owners = await orbweaver(['agent', ...named('hooked'), '--store', 'none'], owner)
  expect(owners.code, owners.stderr).toBe(EXIT.done)
})
