/** The facts of a history as sentences. */
import { ID_CHARS } from '../limits.js'
import type { Fact } from './history.js'

type Part = Fact[number] | undefined

const SENTENCES: Readonly<Record<string, (...parts: Part[]) => string>> = {
  join: (agent, incarnation) => `${agent} starts as incarnation ${incarnation}`,
  request: (agent, url) => `${agent} requests ${url}`,
  answer: url => `${url} is answered`,
  stored: (pack, rows) => `pack ${short(pack)} is on the disk, ${rows} rows`,
  grant: (cell, incarnation, epoch) =>
    `the ledger leases ${cell} to incarnation ${incarnation}, epoch ${epoch}`,
  commit: (pack, incarnation, status, cells) =>
    `incarnation ${incarnation} sends pack ${short(pack)} of ${cells}; the ledger says ${status}`,
  finish: (...parts) => given('finished', parts),
  release: (...parts) => given('released', parts),
  park: (...parts) => given('parked', parts),
  rest: (...parts) => given('rests', parts),
  leave: incarnation => `the ledger closes incarnation ${incarnation}`,
  end: reason => `the ledger ends the crawl: ${reason}`,
  ends: (agent, reason) => `${agent} ends: ${reason}`,
  fault: (kind, agent, last) => `*** ${faultOf(String(kind), String(agent), last)}`,
}

export function describeFact(fact: Fact): string {
  const [kind, ...parts] = fact
  return SENTENCES[kind]?.(...parts) ?? fact.join(' ')
}

function given(how: string, [cell, epoch, isDone]: readonly Part[]): string {
  return `${cell}, epoch ${epoch}: ${how}${isDone === 'true' ? '' : ', refused'}`
}

const FAULTS: Readonly<Record<string, (agent: string, duration: string, last: Part) => string>> = {
  kill: (agent, duration) => `${agent} will be killed, and started again after ${duration}`,
  'kill-after-store': agent => `${agent} will be killed when its next pack is stored and not yet committed`,
  zombie: (agent, duration) =>
    `${agent} is frozen for ${duration}, longer than its leases, and then continues`,
  pause: (agent, duration) => `${agent} is frozen for ${duration}`,
  join: () => 'one more agent is started',
  partition: (agent, duration) => `${agent} cannot reach the ledger for ${duration}`,
  'clock-jump': agent => `the wall clock of ${agent} jumps`,
  'ledger-outage': (_, duration) => `nobody can reach the ledger for ${duration}`,
  'lost-answers': (_, duration) =>
    `commits are carried out and half of the answers are lost, for ${duration}`,
  'slow-ledger': (_, duration) => `the ledger is slow for ${duration}`,
  dies: (agent, _, last) => `${agent} dies, incarnation ${last}`,
  fails: (agent, _, last) => `${agent} gives up: ${last}`,
}

function faultOf(kind: string, agent: string, last: Part): string {
  const duration = `${Math.round(Number(last) / 100) / 10} s`
  const sentence = FAULTS[kind]?.(agent, duration, last)
  return sentence ?? `${kind.replace('-', ' ')}${agent === '' ? '' : ` of ${agent}`} for ${duration}`
}

function short(id: Part): string {
  return String(id).slice(0, ID_CHARS)
}
