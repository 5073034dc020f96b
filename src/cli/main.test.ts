import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { orbweaver } from '../../test/kit/orbweaver.js'
import { COMMANDS } from './commands.js'

/** Runs the command and tells which files the engine has run. */
async function scriptsOf(...args: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'orb-scripts-'))
  const end = await orbweaver(args, { NODE_V8_COVERAGE: folder })
  const told = readdirSync(folder).map(name => readFileSync(join(folder, name), 'utf8'))
  return { ...end, scripts: told.join('\n') }
}

it('--version and --help load no command, and help lists them all', async () => {
  const version = await scriptsOf('--version')
  expect(version.stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  const help = await scriptsOf('--help')
  for (const [name, { about }] of Object.entries(COMMANDS)) {
    expect(help.stdout).toMatch(new RegExp(`^  ${name} `, 'm'))
    expect(help.stdout.replace(/\s+/g, ' ')).toContain(about)
  }
  for (const { scripts } of [version, help]) {
    expect(scripts).toContain('commander')
    for (const heavy of ['duckdb', 'libsql', 'parse5']) expect(scripts).not.toContain(heavy)
  }
  const crawl = await scriptsOf('crawl', '--help')
  expect(crawl.stdout).toContain('crawl from these URLs')
  expect(crawl.scripts).toContain('libsql')
  expect(crawl.scripts).not.toContain('duckdb')
})
