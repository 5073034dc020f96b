/**
 * The sub-commands, and where each is. A command is loaded on demand: some need large libraries.
 */
import type { Command } from 'commander'
import type { Platform } from '../runtime/platform/index.js'

export type Say = (exitCode: number) => void

export interface CommandEntry {
  readonly about: string
  readonly load: (say: Say, platform: () => Promise<Platform>) => Promise<Command>
}

export const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  crawl: {
    about: 'crawl from these URLs into a new directory',
    load: async (say, platform) => (await import('./crawl.js')).crawlCommand(say, await platform()),
  },
  resume: {
    about: 'go on with a crawl that was stopped, killed or ended at its limit',
    load: async (say, platform) => (await import('./resume.js')).resumeCommand(say, await platform()),
  },
  agent: {
    about: 'join a crawl whose ledger is in PostgreSQL, from another process or machine',
    load: async (say, platform) => (await import('./agent.js')).agentCommand(say, await platform()),
  },
  status: {
    about: 'say how far a crawl is',
    load: async (_, platform) => (await import('./status.js')).statusCommand(await platform()),
  },
  set: {
    about: 'change settings of a crawl, also while it runs',
    load: async (_, platform) => (await import('./set.js')).setCommand(await platform()),
  },
  stop: {
    about: 'seal what is fetched and stop a running crawl',
    load: async (_, platform) => (await import('./stop.js')).stopCommand(await platform()),
  },
  checkpoint: {
    about: 'make everything fetched so far durable now',
    load: async (_, platform) => (await import('./checkpoint.js')).checkpointCommand(await platform()),
  },
  ledger: {
    about: 'move the ledger of a crawl between its directory (SQLite) and PostgreSQL',
    load: async (_, platform) => (await import('./ledger.js')).ledgerCommand(await platform()),
  },
  query: {
    about: 'ask a crawl with SQL: tables pages, links, sites',
    load: async () => (await import('./query.js')).queryCommand(),
  },
  repair: {
    about: 'mend the damage that verify finds, and say what was lost',
    load: async say => (await import('./repair.js')).repairCommand(say),
  },
  export: {
    about: 'write a crawl as files for the browser, JSON lines or Markdown',
    load: async say => (await import('./export.js')).exportCommand(say),
  },
  verify: {
    about: 'read every file of a crawl and list what is damaged',
    load: async say => (await import('./verify.js')).verifyCommand(say),
  },
  robots: {
    about: 'say whether robots.txt allows a URL, and by which line',
    load: async say => (await import('./robots.js')).robotsCommand(say),
  },
  partition: {
    about: 'split a graph or hypergraph into parts of even weight with few links between them',
    load: async () => (await import('./partition.js')).partitionCommand(),
  },
  experiment: {
    about: "do a paper's experiment again",
    load: async say => (await import('./experiment.js')).experimentCommand(say),
  },
  web: {
    about: 'serve a generated web on loopback: same seed, same pages',
    load: async () => (await import('./web.js')).webCommand(),
  },
  simulate: {
    about: 'crawl a made-up web in virtual time, with faults, and check every promise',
    load: async say => (await import('./simulate.js')).simulateCommand(say),
  },
  demo: {
    about: 'crawl a generated web on this machine and query it, offline, in under a minute',
    load: async (say, platform) => (await import('./demo.js')).demoCommand(say, await platform()),
  },
}
