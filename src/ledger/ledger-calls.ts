/**
 * The one table of the port's methods, from which every proxy is built. Listed instead of looped over: an
 * object built in a loop has its own hidden class, and with a thousand agents no call site would be
 * optimised.
 */
import type { Ledger } from './ledger.js'

/** Makes the method of that name. */
export type MakeCall = <Name extends keyof Ledger>(name: Name) => Ledger[Name]

export function ledgerOfCalls(make: MakeCall): Ledger {
  return {
    join: make('join'),
    leave: make('leave'),
    endAllLeases: make('endAllLeases'),
    closeSilent: make('closeSilent'),
    takeSeat: make('takeSeat'),
    heartbeat: make('heartbeat'),
    waiting: make('waiting'),
    countWaiting: make('countWaiting'),
    grant: make('grant'),
    leases: make('leases'),
    bind: make('bind'),
    laneLoads: make('laneLoads'),
    estimate: make('estimate'),
    rankBySize: make('rankBySize'),
    release: make('release'),
    finish: make('finish'),
    park: make('park'),
    defer: make('defer'),
    rest: make('rest'),
    split: make('split'),
    append: make('append'),
    appendLinks: make('appendLinks'),
    readInbox: make('readInbox'),
    readJournal: make('readJournal'),
    readJournals: make('readJournals'),
    readHeard: make('readHeard'),
    commit: make('commit'),
    takeTurn: make('takeTurn'),
    releaseTurn: make('releaseTurn'),
    saveWait: make('saveWait'),
    waits: make('waits'),
    joinAddresses: make('joinAddresses'),
    loadOrigins: make('loadOrigins'),
    saveOrigin: make('saveOrigin'),
    refusedOrigins: make('refusedOrigins'),
    saveMeta: make('saveMeta'),
    saveFacts: make('saveFacts'),
    loadMeta: make('loadMeta'),
    takeBudget: make('takeBudget'),
    settings: make('settings'),
    set: make('set'),
    files: make('files'),
    swapFiles: make('swapFiles'),
    tryEnd: make('tryEnd'),
    reopen: make('reopen'),
    crawlState: make('crawlState'),
    totals: make('totals'),
    health: make('health'),
    parked: make('parked'),
    agents: make('agents'),
    agentWork: make('agentWork'),
    sites: make('sites'),
    close: make('close'),
  }
}
