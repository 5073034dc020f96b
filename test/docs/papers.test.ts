/** docs/explanation/papers.md names the function or class that implements each mechanism. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
const rows = readFileSync(join(root, 'docs/explanation/papers.md'), 'utf8')
  .split('\n')
  .filter(line => /^\| [DSMKH]\d+ /.test(line))

/** Every pair of names in backquotes and the folder that they are said to be in. */
const places = rows.flatMap(row => {
  const [, id = '', , where = ''] = row.split('|').map(cell => cell.trim())
  return [...where.matchAll(/(`\w+`(?:, `\w+`)*) in `([\w/]+)`/g)].flatMap(([, names = '', folder = '']) =>
    [...names.matchAll(/\w+/g)].map(([name]) => [id, name, folder] as const),
  )
})

function sourcesOf(folder: string): string[] {
  const path = join(root, folder.startsWith('experiments') ? folder : `src/${folder}`)
  if (!existsSync(path)) return []
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map(name => readFileSync(join(path, name), 'utf8'))
}

it.each(places)('%s: %s is in %s', (_id, name, folder) => {
  const definition = new RegExp(`(?:class|function|const) ${name}\\b|^  (?:async )?${name}\\(`, 'm')
  expect(sourcesOf(folder).some(text => definition.test(text))).toBe(true)
})

it('every mechanism that is built names one', () => {
  const named = new Set(places.map(([id]) => id))
  const others = rows.filter(row => !named.has(row.split('|')[1]!.trim()))
  expect(others.filter(row => !/not built|everything|folders/.test(row))).toEqual([])
})
