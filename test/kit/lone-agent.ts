/** A whole agent on a ledger and a bus of the test's own, without an archive. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Bus } from '../../src/bus/index.js'
import { type AssembledAgent, assembleAgent } from '../../src/cluster/agent/index.js'
import { systemClock as clock } from '../../src/compose/index.js'
import { checkConfig } from '../../src/config/index.js'
import { DirectoryPackStore, PackBuilder } from '../../src/data/store/index.js'
import type { Incarnation, Ledger } from '../../src/ledger/index.js'
import { SeededRandom } from '../../src/model/index.js'
import { Scope } from '../../src/page/frontier/scope/index.js'
import { HostNames } from '../../src/page/frontier/traps/index.js'
import { fetcherWith } from './fetching.js'
import { space } from './frontier-space.js'

export interface LoneAgent {
  /** The seed. */
  readonly url: string
  readonly bus: Bus
  readonly ledger: Ledger
  readonly incarnation: Incarnation
  readonly leaseMs: number
  readonly delayMs: number
}

const NOTHING = () => {}

/** To be stopped, and its store closed, by the test. */
export function loneAgent({ url, bus, ledger, incarnation, leaseMs, delayMs }: LoneAgent): AssembledAgent {
  const config = checkConfig({
    seeds: [url],
    scope: 'any',
    lanes: 2,
    delay: delayMs,
    traps: ['none'],
    sitemap: ['none'],
  })
  const directory = mkdtempSync(join(tmpdir(), 'orb-lone-agent-'))
  const owner = { crawl: 'lone', incarnation: incarnation }
  return assembleAgent({
    name: 'agent-1',
    incarnation: incarnation,
    config,
    clock,
    leaseMs,
    random: new SeededRandom(1),
    ledger,
    bus,
    fetcher: fetcherWith(),
    store: new DirectoryPackStore({ directory, owner, clock, records: null, info: {} }),
    newBuilder: () => new PackBuilder({ agent: 'agent-1', records: null, tables: true }),
    archives: false,
    space,
    scope: new Scope({ seeds: [url], kind: 'any', include: [], exclude: [] }),
    guest: null,
    readPage: null,
    hosts: new HostNames(),
    recrawl: false,
    log: NOTHING,
    onScopeWidened: NOTHING,
    onDiskTrouble: NOTHING,
    waitingFor: () => '',
    onHeartbeat: NOTHING,
  })
}
