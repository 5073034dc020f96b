/**
 * All temporary folders of a test run lie in one, which goes when the run ends: crawls are large, and there
 * are hundreds.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

const PREFIX = 'orbweaver-tests-'
let folder = ''

/**
 * Called by vitest before its workers start, once for each project; workers and the commands they run inherit
 * the variable.
 */
export function setup(): void {
  if (basename(tmpdir()).startsWith(PREFIX)) return
  folder = mkdtempSync(join(tmpdir(), PREFIX))
  process.env.TMPDIR = folder
  process.env.ORBWEAVER_STATE = join(folder, 'state')
}

export function teardown(): void {
  if (folder === '') return
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
}
