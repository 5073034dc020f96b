import { expect, it } from 'vitest'
import { Spells } from './spells.js'

const usual = { isAway: false, latencyMs: 2, lost: 0 }

it('each of several changes ends at its own time', () => {
  const weather = { ...usual }
  const spells = new Spells(weather, usual)
  const endOutage = spells.begin({ isAway: true })
  const endSlowness = spells.begin({ latencyMs: 200 })
  expect(weather).toEqual({ isAway: true, latencyMs: 200, lost: 0 })
  endOutage()
  expect(weather).toEqual({ isAway: false, latencyMs: 200, lost: 0 })
  endSlowness()
  expect(weather).toEqual(usual)
})

it('a short one within a long one of the same kind does not end it', () => {
  const weather = { ...usual }
  const spells = new Spells(weather, usual)
  const away = { isAway: true }
  const endLong = spells.begin(away)
  const endShort = spells.begin(away)
  endShort()
  expect(weather.isAway).toBe(true)
  // Said twice, it is not the end of another.
  endShort()
  expect(weather.isAway).toBe(true)
  endLong()
  expect(weather).toEqual(usual)
})

it('where two change the same, the later counts while it lasts', () => {
  const weather = { ...usual }
  const spells = new Spells(weather, usual)
  const endFirst = spells.begin({ latencyMs: 100 })
  const endSecond = spells.begin({ latencyMs: 50 })
  expect(weather.latencyMs).toBe(50)
  endSecond()
  expect(weather.latencyMs).toBe(100)
  endFirst()
  expect(weather.latencyMs).toBe(2)
})

it('what is not among the changes is left alone', () => {
  const machine = { isCutOff: false, skewMs: 0 }
  const spells = new Spells(machine, { isCutOff: false })
  const end = spells.begin({ isCutOff: true })
  machine.skewMs = 7
  end()
  expect(machine).toEqual({ isCutOff: false, skewMs: 7 })
})
