/** A frontier on a disk of its own for each test; to import it is enough. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import type { Discovery } from '../../src/model/index.js'
import { type CellFrontier, type FrontierEntry, FrontierSpace } from '../../src/page/frontier/index.js'

let folder = ''
export let space: FrontierSpace
const openSpace = (seenBytes = 1e7, queueBytes = 1e7) =>
  new FrontierSpace({ folder: join(folder, 'frontier'), seenBytes, queueBytes, salt: 4 })

/** Puts a smaller one in the place of `space`. */
export function shrinkSpace(seenBytes: number, queueBytes: number): void {
  space.close()
  space = openSpace(seenBytes, queueBytes)
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-frontier-'))
  space = openSpace()
})
afterEach(() => {
  space.close()
  rmSync(folder, { recursive: true, force: true })
})

export const OFF = Number.POSITIVE_INFINITY
export const found = (name: string | number, depth = 1, score = 0): Discovery => ({
  url: `https://example.org/${name}`,
  depth,
  hops: 0,
  score,
  via: `https://example.org/from/${depth}`,
})
export const shown = (entry: FrontierEntry | null) =>
  entry && `${entry.url.slice(20)}@${entry.depth} try ${entry.attempt}${entry.again ? ' again' : ''}`

export function drain(frontier: CellFrontier): (string | null)[] {
  const out: (string | null)[] = []
  for (let entry = frontier.next(1e15); entry !== null; entry = frontier.next(1e15)) out.push(shown(entry))
  return out
}
