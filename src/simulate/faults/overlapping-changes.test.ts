import { expect, it } from 'vitest'
import { OverlappingChanges } from './overlapping-changes.js'

const usual = { isAway: false, latencyMs: 2, lost: 0 }

it('each of several changes ends at its own time', () => {
  const ledgerConditions = { ...usual }
  const changes = new OverlappingChanges(ledgerConditions, usual)
  const endOutage = changes.begin({ isAway: true })
  const endSlowness = changes.begin({ latencyMs: 200 })
  expect(ledgerConditions).toEqual({ isAway: true, latencyMs: 200, lost: 0 })
  endOutage()
  expect(ledgerConditions).toEqual({ isAway: false, latencyMs: 200, lost: 0 })
  endSlowness()
  expect(ledgerConditions).toEqual(usual)
})

it('a short one within a long one of the same kind does not end it', () => {
  const ledgerConditions = { ...usual }
  const changes = new OverlappingChanges(ledgerConditions, usual)
  const away = { isAway: true }
  const endLong = changes.begin(away)
  const endShort = changes.begin(away)
  endShort()
  expect(ledgerConditions.isAway).toBe(true)
  // Said twice, it is not the end of another.
  endShort()
  expect(ledgerConditions.isAway).toBe(true)
  endLong()
  expect(ledgerConditions).toEqual(usual)
})

it('where two change the same, the later counts while it lasts', () => {
  const ledgerConditions = { ...usual }
  const changes = new OverlappingChanges(ledgerConditions, usual)
  const endFirst = changes.begin({ latencyMs: 100 })
  const endSecond = changes.begin({ latencyMs: 50 })
  expect(ledgerConditions.latencyMs).toBe(50)
  endSecond()
  expect(ledgerConditions.latencyMs).toBe(100)
  endFirst()
  expect(ledgerConditions.latencyMs).toBe(2)
})

it('what is not among the changes is left alone', () => {
  const machine = { isCutOff: false, skewMs: 0 }
  const changes = new OverlappingChanges(machine, { isCutOff: false })
  const end = changes.begin({ isCutOff: true })
  machine.skewMs = 7
  end()
  expect(machine).toEqual({ isCutOff: false, skewMs: 7 })
})
