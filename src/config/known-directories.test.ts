import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, test, vi } from 'vitest'
import { rememberDirectory, standingOf } from './known-directories.js'

const ID = '0b0e6a3c-1111-4222-8333-444455556666'
const NOW = Date.now()
let state = ''
let guest = ''

beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'known-'))
  guest = join(state, 'guest.mjs')
  writeFileSync(guest, 'export const accept = () => true')
  vi.stubEnv('ORBWEAVER_STATE', join(state, 'orbweaver'))
  return () => vi.unstubAllEnvs()
})

test('a directory is known by its id and all of its settings', () => {
  const claim = { id: ID, config: { seeds: ['http://a.test/'], delay: 1, guest } }
  expect(standingOf(claim)).toEqual({ at: 'unknown' })
  rememberDirectory('/anywhere', claim, NOW)
  expect(standingOf(claim)).toEqual({ at: 'known' })
  expect(standingOf({ id: ID, config: { guest, delay: 1, seeds: ['http://a.test/'] } })).toEqual({
    at: 'known',
  })
  expect(standingOf({ ...claim, id: ID.replace('0b', '0c') })).toEqual({ at: 'unknown' })
})

test('what was changed or added is named', () => {
  rememberDirectory('/anywhere', { id: ID, config: { seeds: ['http://a.test/'], delay: 1 } }, NOW)
  const config = { seeds: ['http://a.test/'], delay: 2, ledger: 'postgres://elsewhere/x' }
  expect(standingOf({ id: ID, config })).toEqual({ at: 'changed', settings: ['delay', 'ledger'] })
})

test('other code in the module of a guest is a change, and so is a module that is gone', () => {
  const claim = { id: ID, config: { guest } }
  rememberDirectory('/anywhere', claim, NOW)
  writeFileSync(guest, 'export const accept = () => false')
  expect(standingOf(claim)).toEqual({ at: 'changed', settings: ['guest'] })
  expect(standingOf({ id: ID, config: { guest: `${guest}.gone` } }).at).toBe('changed')
})

test('two copies of a directory with different settings are both known', () => {
  const [one, two] = [{ ledger: 'postgres://a/x' }, { ledger: 'postgres://b/x' }]
  rememberDirectory('/one', { id: ID, config: one }, NOW)
  rememberDirectory('/two', { id: ID, config: two }, NOW)
  expect([standingOf({ id: ID, config: one }).at, standingOf({ id: ID, config: two }).at]).toEqual([
    'known',
    'known',
  ])
})

test('an id that is not one of ours is never known and never part of a path', () => {
  for (const id of [undefined, '', '../../x', `${ID}/..`]) {
    expect(() => rememberDirectory('/anywhere', { id, config: {} }, NOW)).toThrow(/has no id/)
    expect(standingOf({ id, config: {} })).toEqual({ at: 'unknown' })
  }
})

test('an entry that is damaged makes a directory unknown', () => {
  rememberDirectory('/anywhere', { id: ID, config: {} }, NOW)
  const folder = join(state, 'orbweaver', 'directories')
  for (const name of readdirSync(folder)) writeFileSync(join(folder, name), '{')
  expect(standingOf({ id: ID, config: { delay: 1 } })).toEqual({ at: 'unknown' })
})

test('nobody else can read or write what is remembered', () => {
  rememberDirectory('/anywhere', { id: ID, config: {} }, NOW)
  const folder = join(state, 'orbweaver', 'directories')
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(readdirSync(folder).map(name => statSync(join(folder, name)).mode & 0o777)).toEqual([0o600])
})

test('where a directory is follows it when it is moved, and does not follow a copy', () => {
  const [here, there] = [join(state, 'here'), join(state, 'there')]
  const known = () => {
    const folder = join(state, 'orbweaver', 'directories')
    return readdirSync(folder).map(name => JSON.parse(readFileSync(join(folder, name), 'utf8')).path)
  }
  mkdirSync(here)
  rememberDirectory(here, { id: ID, config: {} }, NOW)
  mkdirSync(there)
  rememberDirectory(there, { id: ID, config: {} }, NOW)
  expect(known()).toEqual([here])
  rmSync(here, { recursive: true })
  rememberDirectory(there, { id: ID, config: {} }, NOW)
  expect(known()).toEqual([there])
})
