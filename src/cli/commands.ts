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
    about: 'continue a crawl that was stopped, was killed or reached its page limit',
    load: async (say, platform) => (await import('./resume.js')).resumeCommand(say, await platform()),
  },
  agent: {
    about: 'join a crawl whose ledger is in PostgreSQL, from another process or machine',
    load: async (say, platform) => (await import('./agent.js')).agentCommand(say, await platform()),
  },
  status: {
    about: 'show the progress of a crawl',
    load: async (_, platform) => (await import('./status.js')).statusCommand(await platform()),
  },
  set: {
    about: 'change settings of a crawl, running or not',
    load: async (_, platform) => (await import('./set.js')).setCommand(await platform()),
  },
  stop: {
    about: 'stop a running crawl and keep everything it has fetched',
    load: async (_, platform) => (await import('./stop.js')).stopCommand(await platform()),
  },
  checkpoint: {
    about: 'commit everything that a running crawl has fetched so far',
    load: async (_, platform) => (await import('./checkpoint.js')).checkpointCommand(await platform()),
  },
  ledger: {
    about: 'move the ledger of a crawl between its directory (SQLite) and PostgreSQL',
    load: async (_, platform) => (await import('./ledger.js')).ledgerCommand(await platform()),
  },
  query: {
    about: 'query the tables pages, links, items and sites of a crawl with SQL',
    load: async () => (await import('./query.js')).queryCommand(),
  },
  guest: {
    about: 'try a guest on a page or a few: verdict, kept part and rows',
    load: async () => (await import('./guest/index.js')).guestCommand(),
  },
  repair: {
    about: 'repair the damage that verify finds, and list what was lost',
    load: async say => (await import('./repair.js')).repairCommand(say),
  },
  export: {
    about: 'export a crawl as files for a browser, JSON lines or Markdown',
    load: async say => (await import('./export.js')).exportCommand(say),
  },
  verify: {
    about: 'read every file of a crawl and list the damaged ones',
    load: async say => (await import('./verify.js')).verifyCommand(say),
  },
  robots: {
    about: 'show whether robots.txt allows a URL, and which line decides',
    load: async say => (await import('./robots.js')).robotsCommand(say),
  },
  host: {
    about: 'let crawlers that you allow read your pages on your own server',
    load: async say => (await import('./host.js')).hostCommand(say),
  },
  migrate: {
    about: 'show the key with which your crawls introduce themselves to hosts',
    load: async () => (await import('./migrate.js')).migrateCommand(),
  },
  partition: {
    about: 'split a graph or hypergraph into parts of even weight with few links between them',
    load: async () => (await import('./partition.js')).partitionCommand(),
  },
  experiment: {
    about: "repeat a paper's experiment",
    load: async say => (await import('./experiment.js')).experimentCommand(say),
  },
  web: {
    about: 'serve a generated web on loopback; the same seed gives the same pages',
    load: async () => (await import('./web/index.js')).webCommand(),
  },
  simulate: {
    about: 'crawl a simulated web in virtual time, inject faults and check every promise',
    load: async say => (await import('./simulate.js')).simulateCommand(say),
  },
  demo: {
    about: 'crawl a generated web on this machine and query it, offline, in under a minute',
    load: async (say, platform) => (await import('./demo.js')).demoCommand(say, await platform()),
  },
}
