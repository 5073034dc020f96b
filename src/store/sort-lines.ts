/** Sorts the lines of a file bytewise within bounded memory: sorted runs on disk, then one merge. */
import { closeSync, openSync, readSync, rmSync } from 'node:fs'
import { LIMITS } from '../model/limits.js'
import { writeAll, writeDurably } from './durable.js'

/** Half of the bound for the lines, half for the strings' own overhead. */
const RUN_BYTES = LIMITS.sortBytes / 2
const READ_BYTES = 64 * 1024

/** Writes the first `bytes` of the lines in `input`, sorted, to `outPath`, whole or not at all. */
export function sortLines(input: string, bytes: number, outPath: string, runBytes = RUN_BYTES): void {
  const runs: string[] = []
  try {
    let run: string[] = []
    let size = 0
    for (const line of readLines(input, bytes)) {
      run.push(line)
      size += line.length
      if (size < runBytes) continue
      runs.push(writeRun(outPath, runs.length, run))
      run = []
      size = 0
    }
    run.sort()
    writeDurably(outPath, out => {
      const writer = new LineWriter(out)
      for (const line of merge([run, ...runs.map(path => readLines(path, Number.POSITIVE_INFINITY))]))
        writer.add(line)
      writer.flush()
    })
  } finally {
    for (const path of runs) rmSync(path, { force: true })
  }
}

function writeRun(outPath: string, number: number, lines: string[]): string {
  const path = `${outPath}.run${number}.tmp`
  const file = openSync(path, 'w')
  try {
    const writer = new LineWriter(file)
    for (const line of lines.sort()) writer.add(line)
    writer.flush()
  } finally {
    closeSync(file)
  }
  return path
}

class LineWriter {
  readonly #file: number
  #pending: string[] = []
  #size = 0

  constructor(file: number) {
    this.#file = file
  }

  add(line: string): void {
    this.#pending.push(line)
    this.#size += line.length
    if (this.#size >= READ_BYTES) this.flush()
  }

  flush(): void {
    if (this.#pending.length > 0) writeAll(this.#file, Buffer.from(`${this.#pending.join('\n')}\n`, 'latin1'))
    this.#pending = []
    this.#size = 0
  }
}

/** Lines without their end, as Latin-1: one character a byte, so that string order is byte order. */
function* readLines(path: string, bytes: number): Generator<string> {
  const file = openSync(path, 'r')
  try {
    const buffer = Buffer.allocUnsafe(READ_BYTES)
    let rest = ''
    for (let at = 0; at < bytes; ) {
      const count = readSync(file, buffer, 0, Math.min(READ_BYTES, bytes - at), at)
      if (count === 0) break
      at += count
      const lines = (rest + buffer.toString('latin1', 0, count)).split('\n')
      rest = lines.pop() ?? ''
      yield* lines
    }
    if (rest !== '') yield rest
  } finally {
    closeSync(file)
  }
}

/** A handful of runs, so the smallest head is found by looking at each. */
function* merge(sources: readonly Iterable<string>[]): Generator<string> {
  const heads: { line: string; rest: Iterator<string> }[] = []
  for (const source of sources) {
    const rest = source[Symbol.iterator]()
    const first = rest.next()
    if (!first.done) heads.push({ line: first.value, rest })
  }
  while (heads.length > 0) {
    let least = 0
    for (let i = 1; i < heads.length; i++) if (heads[i].line < heads[least].line) least = i
    yield heads[least].line
    const next = heads[least].rest.next()
    if (next.done) heads.splice(least, 1)
    else heads[least].line = next.value
  }
}
