/**
 * The audit log: a line of JSON for each bundle that was accepted or refused, each part that was sent and the
 * end of each tour. Every line holds a hash of the line before it, so that a line that was removed or altered
 * is noticed.
 */
import { createHash } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { isCount, isText, readObject } from '../bundle/index.js'

export interface AuditEntry {
  readonly at: string
  readonly event: 'accepted' | 'refused' | 'sent' | 'ended'
  /** Key of the home; empty if it did not even say. */
  readonly home: string
  /** Id of the bundle. */
  readonly bundle: string
  readonly site: string
  /** SHA-256 of the bundle as it came: what was asked for. */
  readonly sha256: string
  /** Of `ended`: pages read and kept, bytes read at the source. Of `sent`: number and bytes of the part. */
  readonly pages: number
  readonly kept: number
  readonly bytes: number
  /** Why it was refused, or how it ended. */
  readonly detail: string
}

type Line = AuditEntry & { readonly before: string }

const START = '0'.repeat(64)
const LF = 0x0a

export class AuditLog {
  readonly #path: string
  #before: string | null = null

  constructor(path: string) {
    this.#path = path
  }

  /** Durable when it returns. */
  write(entry: AuditEntry): void {
    const file = openSync(this.#path, 'a', 0o600)
    try {
      this.#before ??= this.#continue(file)
      const line = JSON.stringify({ ...entry, before: this.#before } satisfies Line)
      writeSync(file, `${line}\n`)
      fsyncSync(file)
      this.#before = hashOf(line)
    } finally {
      closeSync(file)
    }
  }

  /** Ends a line that a crash has cut, and returns the hash of the last line. */
  #continue(file: number): string {
    const bytes = readFileSync(this.#path)
    if (bytes.length > 0 && bytes.at(-1) !== LF) writeSync(file, '\n')
    const lines = bytes.toString('utf8').trimEnd().split('\n')
    return lines[0] === '' ? START : hashOf(lines.at(-1)!)
  }
}

export interface Audit {
  readonly entries: readonly AuditEntry[]
  /** A line each that cannot be read, or does not follow from the one before it, with its number. */
  readonly problems: readonly string[]
}

/** An absent log has no entries. */
export function readAudit(path: string): Audit {
  const entries: AuditEntry[] = []
  const problems: string[] = []
  let before = START
  for (const [at, line] of linesOf(path).entries()) {
    const entry = entryOf(line)
    if (entry === null) problems.push(`line ${at + 1} cannot be read`)
    else if (entry.before !== before) problems.push(`line ${at + 1} does not follow from the line before it`)
    before = hashOf(line)
    if (entry === null) continue
    const { before: _, ...rest } = entry
    entries.push(rest)
  }
  return { entries, problems }
}

function linesOf(path: string): string[] {
  try {
    const text = readFileSync(path, 'utf8')
    return text === '' ? [] : text.replace(/\n$/, '').split('\n')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

function entryOf(line: string): Line | null {
  const count = isCount(0, Number.MAX_SAFE_INTEGER)
  const text = isText(2_000)
  try {
    const entry = readObject<Line>(JSON.parse(line), {
      at: text,
      event: event => ['accepted', 'refused', 'sent', 'ended'].includes(event as string),
      home: text,
      bundle: text,
      site: text,
      sha256: text,
      pages: count,
      kept: count,
      bytes: count,
      detail: text,
      before: text,
    })
    return typeof entry === 'string' ? null : entry
  } catch {
    return null
  }
}

function hashOf(line: string): string {
  return createHash('sha256').update(line).digest('hex')
}
