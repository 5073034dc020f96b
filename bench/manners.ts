/**
 * How fast robots.txt is read and asked: `npx tsx bench/manners.ts`. Each case in a process of its own, so
 * that reading is as cold as in a crawl, and in CPU time, so that a busy machine does not show. The verdict
 * is on reading and the first answer together; the index, which is made when more are asked for, has a figure
 * of its own.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { RobotsRules } from '../src/page/robots/index.js'
import { markdownTable } from './report/markdown.js'

const RULES = 100
const FILE_BYTES = 500 * 1024
const MATCH_TARGET = 500_000
const PARSE_TARGET_MS = 50
const PARSE_RUNS = 5
/** More than are answered without an index. */
const PATHS = 100

type MakeRule = (word: string) => string

const KINDS: Readonly<Record<string, MakeRule>> = {
  literal: word => `Disallow: /section-${word}/private-${word}/`,
  wildcard: word => `Disallow: /*section-${word}/private-${word}*.html$`,
  'short wildcard': word => `Disallow: /*/${word}`,
  encoded: word => `Disallow: /s%C3%A4ction-${word}/%70rivate ${word}`,
}

function linesOf(make: MakeRule, isEnough: (lines: number, bytes: number) => boolean): string {
  const lines = ['User-agent: *']
  let bytes = lines[0].length + 1
  while (!isEnough(lines.length - 1, bytes)) {
    const line = make(lines.length.toString(36))
    lines.push(line)
    bytes += line.length + 1
  }
  return lines.join('\n')
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** A third of the URLs look like what the rules forbid. */
function urlsOf(): string[] {
  return Array.from({ length: 3_000 }, (_, i) => {
    const word = ((i % RULES) + 1).toString(36)
    return i % 3 === 0
      ? `https://example.org/section-${word}/private-${word}/page-${i}.html`
      : `https://example.org/topic-${i}/${word}/page-${i * 7}.html?view=${i}`
  })
}

function match(kind: string): void {
  const text = linesOf(KINDS[kind]!, lines => lines === RULES)
  const rules = RobotsRules.parse(Buffer.from(text), 'orbweaver')
  const urls = urlsOf()
  let best = 0
  let forbidden = 0
  for (let round = 0; round < 5; round++) {
    const start = cpuMs()
    for (let k = 0; k < 300; k++) for (const url of urls) if (!rules.allows(url).allowed) forbidden++
    best = Math.max(best, (urls.length * 300 * 1000) / (cpuMs() - start))
  }
  if (forbidden === 0 && kind !== 'encoded') throw new Error('no rule ever matched')
  print(
    `match, ${RULES} ${kind} rules`,
    `${Math.round(best).toLocaleString('en')} URLs/s`,
    best >= MATCH_TARGET,
  )
}

/** The file was made by another process: the garbage of making it would be swept here. */
function parse(kind: string, file: string): void {
  const bytes = readFileSync(file)
  const url = 'https://example.org/topic/page.html'
  const start = cpuMs()
  const cold = RobotsRules.parse(bytes, 'orbweaver')
  const parsedMs = cpuMs() - start
  cold.allows(url)
  const coldMs = cpuMs() - start
  for (let i = 1; i < PATHS; i++) cold.allows(`https://example.org/topic/page-${i}.html`)
  const manyMs = cpuMs() - start
  const times: number[] = []
  for (let run = 0; run < PARSE_RUNS; run++) {
    const from = cpuMs()
    RobotsRules.parse(bytes, 'orbweaver').allows(url)
    times.push(cpuMs() - from)
  }
  const warmMs = times.sort((a, b) => a - b)[PARSE_RUNS >> 1]!
  const ms = (value: number): string => `${value.toFixed(0)} ms`
  const answered = `with its first answer ${ms(coldMs)} cold, ${ms(warmMs)} warm, with ${PATHS} answers ${ms(manyMs)}`
  print(`parse 500 KiB of ${kind} rules`, `${ms(parsedMs)} cold; ${answered}`, coldMs < PARSE_TARGET_MS)
}

function print(work: string, figure: string, isMet: boolean): void {
  console.log(JSON.stringify([work, figure, isMet ? 'met' : '**missed**']))
}

const [wanted, file] = process.argv.slice(2)

/** Runs one case in a process of its own. */
function measured(work: string, kind: string, input = ''): string[] {
  const args = [...process.execArgv, fileURLToPath(import.meta.url), `${work} ${kind}`, input]
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as string[]
}

function measureAll(): string[][] {
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-bench-'))
  try {
    const rows = Object.keys(KINDS).map(kind => measured('match', kind))
    for (const [kind, make] of Object.entries(KINDS)) {
      const path = join(folder, kind)
      writeFileSync(
        path,
        linesOf(make, (_, length) => length >= FILE_BYTES),
      )
      rows.push(measured('parse', kind, path))
    }
    return rows
  } finally {
    rmSync(folder, { recursive: true })
  }
}

if (wanted?.startsWith('match ')) match(wanted.slice(6))
else if (wanted?.startsWith('parse ')) parse(wanted.slice(6), file!)
else {
  const rows = measureAll()
  console.log(
    `Targets: ${MATCH_TARGET.toLocaleString('en')} URLs/s, 500 KiB in ${PARSE_TARGET_MS} ms; CPU time of one thread and its helpers.\n`,
  )
  console.log(markdownTable(['robots.txt', 'measured', 'target'], rows))
}
