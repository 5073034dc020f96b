/** The facts of a history, in words for somebody who has never seen one. */
import type { Fact } from './history.js'

const ID_CHARS = 8

export function describeFact(fact: Fact): string {
  const [kind, first, second, third, fourth] = fact
  switch (kind) {
    case 'join':
      return `${first} starts incarnation ${second}`
    case 'request':
      return `${first} asks for ${second}`
    case 'answer':
      return `${first} is answered`
    case 'stored':
      return `pack ${short(first)} is on the disk, ${second} rows`
    case 'grant':
      return `the ledger leases ${first} to incarnation ${second}, epoch ${third}`
    case 'commit':
      return `incarnation ${second} sends pack ${short(first)} of ${fourth}; the ledger says ${third}`
    case 'finish':
    case 'release':
    case 'park':
    case 'rest':
      return `${first}, epoch ${second}: ${GIVEN_UP[kind]}${third === 'true' ? '' : ', refused'}`
    case 'leave':
      return `the ledger closes incarnation ${first}`
    case 'end':
      return `the ledger ends the crawl: ${first}`
    case 'ends':
      return `${first} goes home: ${second}`
    case 'fault':
      return `*** ${faultOf(String(first), String(second), third)}`
    default:
      return fact.join(' ')
  }
}

const GIVEN_UP = { finish: 'finished', release: 'given back', park: 'set aside', rest: 'rests' } as const

function faultOf(kind: string, agent: string, last: string | number | undefined): string {
  const seconds = `${Math.round(Number(last) / 100) / 10} s`
  switch (kind) {
    case 'kill':
      return `${agent} is to be killed, and started again after ${seconds}`
    case 'kill-after-store':
      return `${agent} is to be killed when its next pack is stored and not yet committed`
    case 'zombie':
      return `${agent} freezes for ${seconds}, longer than its leases last, and then continues`
    case 'pause':
      return `${agent} freezes for ${seconds}`
    case 'join':
      return 'one more agent is started'
    case 'partition':
      return `${agent} does not reach the ledger for ${seconds}`
    case 'clock-jump':
      return `the wall clock of ${agent} jumps`
    case 'ledger-outage':
      return `nobody reaches the ledger for ${seconds}`
    case 'lost-answers':
      return `commits are carried out and half of the answers are lost, for ${seconds}`
    case 'dies':
      return `${agent} dies, incarnation ${last}`
    case 'fails':
      return `${agent} gives up: ${last}`
    default:
      return `${kind.replace('-', ' ')}${agent === '' || kind === 'slow-ledger' ? '' : ` of ${agent}`} for ${seconds}`
  }
}

function short(id: string | number | undefined): string {
  return String(id).slice(0, ID_CHARS)
}
