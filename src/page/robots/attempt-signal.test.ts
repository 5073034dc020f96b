import { describe, expect, it } from 'vitest'
import { endAttempt, takeAttempt } from './attempt-signal.js'

describe('the signal of an attempt', () => {
  it('is of use to one attempt at a time, and to another when that has ended', () => {
    const parent = new AbortController()
    const first = takeAttempt(parent.signal)
    const second = takeAttempt(parent.signal)
    expect(second).not.toBe(first)
    endAttempt(parent.signal, first)
    expect(takeAttempt(parent.signal)).toBe(first)
    expect([first, second]).not.toContain(takeAttempt(parent.signal))
  })

  it('aborts with its parent, whether it is new or serves again', () => {
    const parent = new AbortController()
    const again = takeAttempt(parent.signal)
    endAttempt(parent.signal, again)
    expect(takeAttempt(parent.signal)).toBe(again)
    const fresh = takeAttempt(parent.signal)
    parent.abort()
    expect([again.signal.aborted, fresh.signal.aborted]).toEqual([true, true])
  })

  it('that was cut serves nobody again, and cuts nobody else', () => {
    const parent = new AbortController()
    const cut = takeAttempt(parent.signal)
    const other = takeAttempt(parent.signal)
    cut.abort()
    expect([cut.signal.aborted, other.signal.aborted, parent.signal.aborted]).toEqual([true, false, false])
    endAttempt(parent.signal, cut)
    const next = takeAttempt(parent.signal)
    expect(next.signal.aborted).toBe(false)
  })

  it('is of one parent alone', () => {
    const parent = new AbortController()
    const stranger = new AbortController()
    const attempt = takeAttempt(parent.signal)
    endAttempt(parent.signal, attempt)
    const theirs = takeAttempt(stranger.signal)
    expect(theirs).not.toBe(attempt)
    parent.abort()
    expect(theirs.signal.aborted).toBe(false)
  })
})
