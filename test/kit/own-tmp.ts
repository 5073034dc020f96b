/**
 * All temporary folders of a test run lie in one, which goes when the run ends: crawls are large, and there
 * are hundreds.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

let folder = ''

/** Called by vitest before its workers start; they and the commands they run inherit the variable. */
export function setup(): void {
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-tests-'))
  process.env.TMPDIR = folder
  process.env.ORBWEAVER_STATE = join(folder, 'state')
}

export function teardown(): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
}
