import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { systemClock, systemRandom } from '../../compose/index.js'
import { readGenerations } from '../../data/store/pair.js'
import type { Ledger } from '../../ledger/index.js'
import { LEDGER_FILE, openSqliteLedger } from '../../ledger/sqlite/index.js'
import { beginGeneration } from './generation.js'

const LEASE_MS = 60_000

let directory: string
let ledger: Ledger

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'orbweaver-'))
  ledger = openSqliteLedger(join(directory, LEDGER_FILE), { create: true, now: () => systemClock.now() })
})
afterEach(async () => {
  await ledger.close()
  rmSync(directory, { recursive: true })
})

it('a new generation is the last of directory and ledger', async () => {
  await beginGeneration(directory, ledger, systemRandom)
  await beginGeneration(directory, ledger, systemRandom)
  const { generations, next } = readGenerations(directory)
  expect(generations).toHaveLength(2)
  expect(next).toBeNull()
  expect(JSON.parse((await ledger.settings())['crawl.generations'] ?? '')).toEqual(generations)
})

it('it ends the incarnations of agents, whose directory may be another copy; who coordinates lives on', async () => {
  const coordinator = await ledger.join('coordinator', 0)
  const agent = await ledger.join('agent', 5)
  await beginGeneration(directory, ledger, systemRandom)
  expect((await ledger.heartbeat(coordinator, LEASE_MS, '{}')).incarnationOpen).toBe(true)
  expect((await ledger.heartbeat(agent, LEASE_MS, '{}')).incarnationOpen).toBe(false)
})
