/** What the threads load at every start of a crawl, in CPU time that no page pays back. */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'

const DIST = join(import.meta.dirname, '../../dist')

/** The folders of `src/` whose modules a file of `dist/` brings along, with all that it imports at once. */
function foldersIn(file: string, seen = new Set<string>()): Set<string> {
  const folders = new Set<string>()
  if (seen.has(file)) return folders
  seen.add(file)
  const code = readFileSync(file, 'utf8')
  for (const [, folder] of code.matchAll(/^\/\/ src\/((?:page|data|plan|cluster)\/[^/]+|[^/]+)\//gm))
    folders.add(folder)
  for (const [, path] of code.matchAll(/^(?:import|export)[^"]*"(\.[^"]+)"/gm))
    for (const folder of foldersIn(join(dirname(file), path), seen)) folders.add(folder)
  return folders
}

it.each([
  ['ledger', 'ledger'],
  ['store', 'data/store'],
])('the thread of the %s loads nothing of the crawl, and the partitioner on demand only', (thread, own) => {
  const folders = foldersIn(join(DIST, `compose/${thread}-thread.js`))
  expect(folders).toContain(own)
  for (const other of ['cluster/agent', 'page/frontier', 'page/fetch', 'plan/partition'])
    expect(folders).not.toContain(other)
})
