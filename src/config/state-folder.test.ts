import { homedir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { stateFolder } from './state-folder.js'

test('ORBWEAVER_STATE names the folder itself, XDG_STATE_HOME its parent', () => {
  expect(stateFolder({ ORBWEAVER_STATE: '/a', XDG_STATE_HOME: '/b' })).toBe('/a')
  expect(stateFolder({ XDG_STATE_HOME: '/b' })).toBe(join('/b', 'orbweaver'))
})

test('without either it lies in the home folder', () => {
  expect(stateFolder({}).startsWith(homedir())).toBe(true)
})

test('the test run has a folder of its own', () => {
  expect(stateFolder().startsWith(homedir())).toBe(false)
})
