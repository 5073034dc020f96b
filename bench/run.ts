/**
 * `npm run bench [-- SUB-COMMAND] [--install] [--date YYYY-MM-DD]` A sub-command is a script beside this one;
 * what it prints on stdout becomes its section of `results.md`, unless it was given arguments of its own.
 * Linux only: it needs addresses such as 127.0.1.1 and /proc.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { installPeers } from './install.js'
import { machineFacts, writeSection } from './report/results.js'

const SUB_COMMANDS: Readonly<Record<string, string>> = {
  table: 'the crawlers side by side, and the speed targets (this is the default)',
  cluster: 'the ledger on PostgreSQL: links a second, leases a minute, CPU per page beside SQLite',
  agents: 'one agent beside two: CPU per page, pages per second',
  memory: 'peak memory with 1 M and 10 M known URLs',
  migrate: 'crawls of a directory and of a WARC, without a server: pages per second, CPU per page',
  resume: 'time from `resume` to the first request, with the cache and without',
  partition: 'the partitioner beside gpmetis: km1, balance, CPU',
  seen: 'checks per second of the seen-set',
  politeness: 'robots.txt: URLs judged per second, a long file parsed',
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { install: { type: 'boolean' }, date: { type: 'string' } },
  })
  const [name = 'table', ...rest] = positionals
  if (name !== 'list' && !(name in SUB_COMMANDS)) {
    console.error(`There is no sub-command ${name}; npm run bench -- list names them.`)
    return 4
  }
  if (name === 'list') {
    for (const [each, purpose] of Object.entries(SUB_COMMANDS)) console.log(`${each.padEnd(11)}${purpose}`)
    return 0
  }
  if (values.install) installPeers()
  const facts = machineFacts(values.date ?? new Date().toISOString().slice(0, 10))
  const { exitCode, output } = await runScript(name, rest)
  if (exitCode === 0 && rest.length === 0) writeSection(name, `${facts}\n\n${asMarkdown(output)}`)
  return exitCode
}

/** In a process of its own, so that no measurement inherits another's heap. */
async function runScript(
  name: string,
  rest: readonly string[],
): Promise<{ exitCode: number; output: string }> {
  const script = join(import.meta.dirname, `${name}.ts`)
  const child = spawn(process.execPath, [...process.execArgv, script, ...rest], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  process.once('SIGTERM', () => child.kill('SIGTERM'))
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
    process.stdout.write(text)
  })
  const exitCode = await new Promise<number>(resolve => child.once('close', code => resolve(code ?? 1)))
  return { exitCode, output }
}

function asMarkdown(output: string): string {
  return output.includes('|') ? output : `\`\`\`text\n${output.trim()}\n\`\`\``
}

process.exitCode = await main()
