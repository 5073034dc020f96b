/**
 * Sorts the lines of a file bytewise within bounded memory: sorted runs on disk, then one merge. Lines stay
 * in the buffers they were read into, to avoid a string for each.
 */
import { closeSync, openSync, readSync, rmSync } from 'node:fs'
import { OPEN, type Output, StagedFile, writeDurably } from '../../../files/index.js'
import { LIMITS } from '../../../model/index.js'

/** Half of the memory is for sorting, half for merging. */
const RUN_BYTES = LIMITS.sortBytes / 2
const WINDOW_BYTES = 64 * 1024
const NEWLINE = 10

/** Sorts the lines in the first `bytes` of `input` into `outPath`, atomically. */
export function sortLines(input: string, bytes: number, outPath: string, runBytes = RUN_BYTES): void {
  const runs: string[] = []
  const lines = new LineWindow(input, bytes, runBytes)
  try {
    while (lines.next()) {
      if (runs.length === 0 && lines.isLast) break
      const path = `${outPath}.run${runs.length}.tmp`
      runs.push(path)
      writeRun(path, lines)
    }
    writeDurably(outPath, out => {
      if (runs.length === 0) writeSorted(lines, out)
      else mergeRuns(runs, out)
    })
  } finally {
    lines.close()
    for (const path of runs) rmSync(path, { force: true })
  }
}

/** A window of whole lines of a file; it grows for a line that does not fit. */
class LineWindow {
  readonly #file: number
  readonly #limit: number
  #at = 0
  #filled = 0
  #bytes: Buffer
  #end = 0

  constructor(path: string, limit: number, windowBytes: number) {
    this.#file = openSync(path, OPEN.read)
    this.#limit = limit
    // One more for the end of a last line that has none.
    this.#bytes = Buffer.allocUnsafeSlow(Math.min(windowBytes, limit) + 1)
  }

  get bytes(): Buffer {
    return this.#bytes
  }

  /** Where the whole lines end; they begin at 0. */
  get end(): number {
    return this.#end
  }

  get isLast(): boolean {
    return this.#at >= this.#limit && this.#filled === this.#end
  }

  /** Moves to the next lines; false if there are none. */
  next(): boolean {
    this.#bytes.copyWithin(0, this.#end, this.#filled)
    this.#filled -= this.#end
    this.#end = 0
    while (this.#end === 0 && this.#read()) this.#end = this.#bytes.lastIndexOf(NEWLINE, this.#filled - 1) + 1
    if (this.#end === 0 && this.#filled > 0) {
      this.#bytes[this.#filled++] = NEWLINE
      this.#end = this.#filled
    }
    return this.#end > 0
  }

  close(): void {
    closeSync(this.#file)
  }

  /** Fills the free part except for one byte. */
  #read(): boolean {
    if (this.#filled >= this.#bytes.length - 1) {
      const larger = Buffer.allocUnsafeSlow(this.#bytes.length * 2)
      this.#bytes.copy(larger, 0, 0, this.#filled)
      this.#bytes = larger
    }
    const room = Math.min(this.#bytes.length - 1 - this.#filled, this.#limit - this.#at)
    const count = room > 0 ? readSync(this.#file, this.#bytes, this.#filled, room, this.#at) : 0
    this.#at = count === 0 ? this.#limit : this.#at + count
    this.#filled += count
    return count > 0
  }
}

function writeRun(path: string, lines: LineWindow): void {
  const file = new StagedFile(path)
  try {
    writeSorted(lines, file)
    file.flush()
  } finally {
    file.close()
  }
}

function writeSorted({ bytes, end }: LineWindow, out: Output): void {
  const starts: number[] = []
  for (let start = 0; start < end; start = bytes.indexOf(NEWLINE, start) + 1) starts.push(start)
  for (const start of Uint32Array.from(starts).sort((a, b) => compareLines(bytes, a, bytes, b)))
    writeLine(bytes, start, out)
}

/** Writes the line at `start` with its line end; returns the start of the next. */
function writeLine(bytes: Buffer, start: number, out: Output): number {
  const end = bytes.indexOf(NEWLINE, start) + 1
  out.write(bytes.subarray(start, end))
  return end
}

function mergeRuns(paths: readonly string[], out: Output): void {
  const windows: LineWindow[] = []
  try {
    for (const path of paths) windows.push(new LineWindow(path, Number.MAX_SAFE_INTEGER, WINDOW_BYTES))
    const heads = windows.filter(lines => lines.next()).map(lines => ({ lines, at: 0 }))
    while (heads.length > 0) {
      // A handful of runs, so the smallest head is found by looking at each.
      let least = 0
      for (let i = 1; i < heads.length; i++) {
        const [a, b] = [heads[i], heads[least]]
        if (compareLines(a.lines.bytes, a.at, b.lines.bytes, b.at) < 0) least = i
      }
      const head = heads[least]
      head.at = writeLine(head.lines.bytes, head.at, out)
      if (head.at < head.lines.end) continue
      head.at = 0
      if (!head.lines.next()) heads.splice(least, 1)
    }
  } finally {
    for (const lines of windows) lines.close()
  }
}

/** A line that is the beginning of another comes before it. */
function compareLines(left: Buffer, a: number, right: Buffer, b: number): number {
  for (let i = 0; ; i++) {
    const x = left[a + i]
    const y = right[b + i]
    if (x !== y) return (x === NEWLINE ? -1 : x) - (y === NEWLINE ? -1 : y)
    if (x === NEWLINE) return 0
  }
}
