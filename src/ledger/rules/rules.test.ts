import { describe, expect, it } from 'vitest'
import { CELL_STATES } from '../index.js'
import {
  budgetBlock,
  debited,
  endOfCrawl,
  fileSwap,
  firstAllowed,
  gapAfter,
  hasExpired,
  isHeldUnder,
  isNextPack,
  isOffered,
  isRenewable,
  isSeatFree,
  isSilent,
  mayBeGranted,
  mayFinish,
  maySplit,
  turnClaim,
} from './index.js'

const NOW = 1_000

describe('a lease expires', () => {
  it.each([
    ['not before its end', 1_000, 990, 0, false],
    ['after its end', 999, 999, 0, true],
    ['if nobody ever sent a heartbeat', 999, 0, 0, true],
    ['not while nobody was heard since its end', 999, 998, 0, false],
    ['not during a gap of the ledger', 900, 990, 1_001, false],
    ['when the gap is over', 900, 990, 1_000, true],
  ])('%s', (_, leaseUntil, lastHeartbeat, gapUntil, expected) => {
    expect(hasExpired(leaseUntil, NOW, { lastHeartbeat, gapUntil })).toBe(expected)
  })
})

describe('an incarnation is silent', () => {
  it.each([
    ['not within the time', 900, 1_000, 0, false],
    ['after the time', 899, 1_000, 0, true],
    ['not if nobody else was heard either', 800, 899, 0, false],
    ['not during a gap of the ledger', 800, 1_000, 1_001, false],
  ])('%s', (_, heartbeatAt, lastHeartbeat, gapUntil, expected) => {
    expect(isSilent(heartbeatAt, 100, NOW, { lastHeartbeat, gapUntil })).toBe(expected)
  })
})

it('a gap begins with the first heartbeat after a whole lease without any', () => {
  expect(gapAfter({ lastHeartbeat: 0, gapUntil: 0 }, NOW, 100)).toBe(0)
  expect(gapAfter({ lastHeartbeat: 900, gapUntil: 7 }, NOW, 100)).toBe(7)
  expect(gapAfter({ lastHeartbeat: 899, gapUntil: 7 }, NOW, 100)).toBe(1_100)
})

it.each([
  ['taken while its holder is open and its lease runs', true, 1_000, 990, 0, false],
  ['free once its holder has ended', false, 2_000, 990, 0, true],
  ['free once its lease has expired', true, 980, 990, 0, true],
  ['taken while nobody was heard since', true, 995, 990, 0, false],
  ['taken during a gap of the ledger', true, 980, 990, 1_001, false],
])('the seat is %s', (_, isHolderOpen, until, lastHeartbeat, gapUntil, expected) => {
  expect(isSeatFree({ isHolderOpen, until }, NOW, { lastHeartbeat, gapUntil })).toBe(expected)
})

it('a lease that has ended is renewed only with the turn of its group', () => {
  expect(isRenewable(1_000, NOW, false)).toBe(true)
  expect(isRenewable(999, NOW, false)).toBe(false)
  expect(isRenewable(999, NOW, true)).toBe(true)
})

it('the first request after a hand-over waits for the longer delay, and for none after no lease', () => {
  expect(firstAllowed(0, 50, 70)).toBe(0)
  expect(firstAllowed(900, 50, 70)).toBe(970)
  expect(firstAllowed(900, 90, 70)).toBe(990)
})

describe('a turn', () => {
  const claim = { now: NOW, leaseMs: 100, delayMs: 10 }
  const open = { isOpen: true, heartbeatAt: 950, lastHeartbeat: 1_000, gapUntil: 0 }
  it.each([
    ['of nobody is had at once', 0, 0, null, 0],
    ['is had after the end of the last hold and the delay', 980, 0, null, 990],
    ['is had at the stored time if that is later', 980, 2_000, null, 2_000],
    ['is kept for one lease after the last heartbeat', 0, 0, open, null],
    ['passes on when that lease is over', 0, 0, { ...open, heartbeatAt: 899 }, 1_009],
    ['lasts as long as the latest lease under it', 1_000, 0, { ...open, heartbeatAt: 800 }, null],
    ['of a closed incarnation ends with its lease', 999, 0, { ...open, isOpen: false }, 1_009],
    ['is kept while nobody was heard', 0, 0, { ...open, heartbeatAt: 899, lastHeartbeat: 998 }, null],
    ['is kept during a gap', 0, 0, { ...open, heartbeatAt: 800, gapUntil: 1_001 }, null],
    [
      'is kept during a gap also by a closed holder',
      900,
      0,
      { ...open, isOpen: false, gapUntil: 1_001 },
      null,
    ],
  ])('%s', (_, leaseUntil, nextAllowed, holder, expected) => {
    expect(turnClaim({ leaseUntil, nextAllowed, delayMs: 0 }, holder, claim)).toBe(expected)
  })
})

describe.each(CELL_STATES)('a cell that is %s', state => {
  it('is granted only if it waits, in an open crawl, to an open incarnation', () => {
    expect(mayBeGranted(state, true, true)).toBe(state === 'waiting')
    expect(mayBeGranted(state, false, true)).toBe(false)
    expect(mayBeGranted(state, true, false)).toBe(false)
  })

  it('is offered only if it waits and its turn is free or held by an eligible incarnation', () => {
    const isWaiting = state === 'waiting'
    expect(isOffered(state, 3, null)).toBe(isWaiting)
    expect(isOffered(state, null, new Set())).toBe(isWaiting)
    expect(isOffered(state, 3, new Set([3]))).toBe(isWaiting)
    expect(isOffered(state, 3, new Set([4]))).toBe(false)
  })

  it('is split only if it waits or rests, and nothing has changed since it was counted', () => {
    const counted = { epoch: 2, lastPack: 3 }
    expect(maySplit(state, counted, counted)).toBe(state === 'waiting' || state === 'resting')
    expect(maySplit(state, { epoch: 3, lastPack: 3 }, counted)).toBe(false)
    expect(maySplit(state, { epoch: 2, lastPack: 4 }, counted)).toBe(false)
  })

  it('is held only under its epoch, and finished only when its inbox is consumed', () => {
    const isHeld = state === 'leased' || state === 'draining'
    expect(isHeldUnder(state, 2, 2)).toBe(isHeld)
    expect(isHeldUnder(state, 2, 1)).toBe(false)
    expect(mayFinish({ state, epoch: 2, appended: 5, consumed: 5 }, 2)).toBe(isHeld)
    expect(mayFinish({ state, epoch: 2, appended: 5, consumed: 4 }, 2)).toBe(false)
    expect(mayFinish({ state, epoch: 2, appended: 5, consumed: 5 }, 1)).toBe(false)
  })
})

it('a pack carries the number after the last one', () => {
  expect([2, 3, 4].map(number => isNextPack(2, number))).toEqual([false, true, false])
})

describe('the crawl', () => {
  it.each([
    ['is done without cells', {}, 0, null, 'done'],
    ['is done when all are finished', { finished: 3, closed: 1 }, 9, null, 'done'],
    ['goes on while a cell waits', { waiting: 1 }, 0, null, null],
    ['goes on while a cell rests', { resting: 1 }, 0, null, null],
    ['goes on while a cell is leased', { leased: 1 }, 9, 9, null],
    ['goes on while a cell drains', { draining: 1 }, 9, 9, null],
    ['ends with parked cells', { parked: 1 }, 0, null, 'parked'],
    ['goes on below the page limit', { waiting: 1 }, 8, 9, null],
    ['ends at the page limit', { waiting: 1, parked: 1 }, 9, 9, 'limit'],
    ['is done at the page limit if nothing waits', { finished: 1 }, 9, 9, 'done'],
  ])('%s', (_, counts, pages, maxPages, expected) => {
    expect(endOfCrawl(counts, pages, maxPages)).toBe(expected)
  })
})

describe('of the page limit an incarnation gets', () => {
  it.each([
    ['all it wants without a limit', null, 0, 0, 0, 0, 50, 50, 0],
    ['all that is left if it is alone', 100, 40, 0, 0, 10, 90, 50, 60],
    ['no more than it wants', 100, 40, 0, 0, 10, 5, 5, 15],
    ['half of an even share among others', 100, 20, 1, 30, 10, 90, 10, 50],
    ['nothing when all is held', 100, 50, 1, 50, 0, 90, 0, 50],
  ])('%s', (_, maxPages, pages, others, heldByOthers, held, want, granted, outstanding) => {
    const limit = { maxPages, pages, others, heldByOthers }
    expect(budgetBlock(limit, held, want)).toEqual({ granted, outstanding })
  })
})

it('a pack debits the block of its incarnation, never below zero', () => {
  expect([debited(5, 3), debited(3, 3), debited(2, 3)]).toEqual([2, 0, 0])
})

it.each([
  ['due while every input is listed', ['a', 'b'], ['c'], ['a', 'b'], 'due'],
  ['due without inputs', [], ['c'], [], 'due'],
  ['done if only the outputs are listed', ['a', 'b'], ['c'], ['c'], 'done'],
  ['refused when an input is gone', ['a', 'b'], ['c'], ['b'], 'refused'],
  ['refused when an input is gone and the output listed', ['a', 'b'], ['c'], ['b', 'c'], 'refused'],
  ['refused when the inputs are gone and nothing is made of them', ['a'], [], [], 'refused'],
])('a swap of files is %s', (_, inputs, outputs, listed, expected) => {
  const made = outputs.map(name => ({ name }))
  expect(fileSwap(inputs, made, name => listed.includes(name))).toBe(expected)
})
