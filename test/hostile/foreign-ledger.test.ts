/**
 * A ledger that the user names is trusted with settings, not with code: its guest runs only where it is
 * known.
 *
 * @module-tag deep
 */
import { existsSync, rmSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { EXIT } from '../../src/cli/exit/index.js'
import { markingGuest, newUser, smallSite, stoppedCrawl } from '../kit/foreign-directory.js'
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

it('a guest that a ledger names needs --trust, once; settings do not', async () => {
  const { path, mark } = markingGuest()
  const me = newUser()
  const named = (name: string) => ['--ledger', postgres.url(), '--name', name]
  const owner = newUser()
  await stoppedCrawl(web, owner, ...named('guided'), '--guest', path, '--trusted')
  await stoppedCrawl(web, owner, ...named('plain'))
  rmSync(mark)
  const agent = (name: string, ...flags: string[]) =>
    orbweaver(['agent', ...named(name), '--store', 'none', ...flags], me)
  const refused = await agent('guided')
  expect([refused.code, refused.stderr]).toEqual([
    EXIT.untrusted,
    expect.stringMatching(/"guided" was not made by you.*run the guest .*sha256 [\da-f]{64}.*--trust\n$/),
  ])
  expect(existsSync(mark)).toBe(false)
  expect((await agent('plain')).code).toBe(EXIT.done)
  expect((await agent('guided', '--trust')).code).toBe(EXIT.done)
  expect((await agent('guided')).code).toBe(EXIT.done)
  const status = await orbweaver(['status', ...named('guided')], newUser())
  expect(status.code, status.stderr).toBe(EXIT.done)
  const owners = await orbweaver(['agent', ...named('guided'), '--store', 'none'], owner)
  expect(owners.code, owners.stderr).toBe(EXIT.done)
})
