import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, release, totalmem } from 'node:os'
import { RESULTS } from '../paths.js'

const TITLE =
  '# Benchmarks\n\n`npm run bench` writes this file, one section per sub-command (`npm run bench -- list`).\n'

/** Replaces the section of one sub-command and leaves the others as they are. */
export function writeSection(name: string, body: string): void {
  const sections = readSections()
  sections.set(name, `## ${name}\n\n${body.trim()}\n`)
  const parts = Array.from(sections, ([each, text]) => `<!-- section ${each} -->\n${text}`)
  writeFileSync(RESULTS, [TITLE, ...parts].join('\n'))
}

function readSections(): Map<string, string> {
  const text = existsSync(RESULTS) ? readFileSync(RESULTS, 'utf8') : ''
  const [, ...parts] = text.split('<!-- section ')
  return new Map(parts.map(part => [part.slice(0, part.indexOf(' -->')), bodyOf(part)]))
}

function bodyOf(part: string): string {
  return `${part.slice(part.indexOf('\n') + 1).trimEnd()}\n`
}

/** Figures mean little without the machine they were taken on. */
export function machineFacts(date: string): string {
  const gigabytes = Math.round(totalmem() / 2 ** 30)
  const processor = `${cpus().length} x ${cpus()[0]?.model.trim() ?? 'unknown processor'}`
  const load = loadavg()[0].toFixed(1)
  return `${date}, ${processor}, ${gigabytes} GB, Linux ${release()}, Node ${process.version}, load ${load} at the start.`
}
