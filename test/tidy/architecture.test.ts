/**
 * The plan of src/ (docs/explanation/architecture.md): imports lead to earlier rooms, through their index.ts.
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { drawing, violationsIn } from '../../scripts/architecture.js'

const ROOT = join(import.meta.dirname, '../..')
let copy: string

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'orb-architecture-'))
  cpSync(join(ROOT, 'src'), copy, { recursive: true })
})
afterAll(() => rmSync(copy, { recursive: true }))

it('the sources keep to the plan', () => {
  expect(violationsIn(join(ROOT, 'src'))).toEqual([])
})

/** What is wrong with a copy of the sources that has these files as well. */
function violationsWith(files: Readonly<Record<string, string>>): string[] {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(copy, name)), { recursive: true })
    writeFileSync(join(copy, name), text)
  }
  const found = violationsIn(copy)
  for (const name of Object.keys(files)) rmSync(join(copy, name))
  return found
}

it('an import of a later room is found', () => {
  const planted = violationsWith({ 'model/planted.ts': "import { EXIT } from '../cli/index.js'\n" })
  expect(planted).toContain('model/planted.ts: imports cli/index.ts, a later floor of the plan')
  expect(planted).toContainEqual(expect.stringMatching(/^cycle: .*model -> cli/))
})

it('an import past an index.ts is found', () => {
  const planted = violationsWith({ 'cli/planted.ts': "import { Stop } from '../model/stop.js'\n" })
  expect(planted).toEqual(['cli/planted.ts: imports model/stop.ts past its index.ts'])
})

it('a cycle of files in one room is found', () => {
  const planted = violationsWith({
    'model/one.ts': "export { b } from './two.js'\n",
    'model/two.ts': "import { a } from './one.js'\nexport const b = a\n",
  })
  expect(planted).toEqual(['cycle: model/one.ts -> model/two.ts -> model/one.ts'])
})

it('a room that is not in the plan is found', () => {
  const planted = violationsWith({ 'elsewhere/planted.ts': 'export const a = 1\n' })
  expect(planted).toEqual(['elsewhere: is not in the plan of scripts/architecture.js'])
})

it('the picture in the docs is up to date (node scripts/architecture.js --draw)', () => {
  expect(readFileSync(join(ROOT, 'docs/architecture.svg'), 'utf8')).toBe(drawing(join(ROOT, 'src')))
})
