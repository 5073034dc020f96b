/**
 * Notes for the next crawl, collected by the conversion to Parquet, which reads every link and every pack
 * anyway. Each conversion writes one file of text lines in gzip members, so that files can be concatenated
 * and read with `zcat`. Equal lines are merged while memory allows it, so a line may occur twice in a file.
 * While the crawl runs, notes on logs that are not converted yet are taken too (`open-logs.ts`).
 *
 *   nets    count TAB site SPACE site…     pages of the first site that link to exactly the others
 *   hosts   site TAB address TAB agent TAB milliseconds to connect TAB checked TAB changed TAB
 *           bytes of responses that are not pages
 *           or, in a line with only the site: TAB sketch of the site's words (`word-notes.ts`)
 */
import { gzipSync } from 'node:zlib'
import { LIMITS, LinkKind } from '../../../model/index.js'
import { LinkRowView } from './link-rows.js'
import type { Segment } from './segment.js'

/** Collects notes from the segments of row logs. */
export interface LearnedNotes {
  addSegment(segment: Segment): void
  /**
   * Removes and returns the notes to be written. Returns all notes if `end` is true; otherwise none while
   * there is room for more.
   */
  take(end: boolean): Buffer
  /** Like `take`, but returns lines. */
  takeLines(end: boolean): string[]
}

const LEVEL = 1
const NOT_FOLLOWED = LinkKind.nofollow | LinkKind.requisite
const SLASH = 0x2f
const QUESTION = 0x3f

export class NetNotes implements LearnedNotes {
  readonly #counts = new Map<string, number>()
  readonly #targets = new Set<string>()
  /** Position of the URL of the current page; none if `#pageEnd` is 0. */
  #pageStart = 0
  #pageEnd = 0
  #site = ''

  addSegment(segment: Segment): void {
    const link = new LinkRowView(segment.rows)
    let group = -1
    while (link.next()) {
      if (link.urlStart !== group) {
        group = link.urlStart
        this.#turnTo(link)
      }
      if ((link.kind & NOT_FOLLOWED) !== 0 || this.#targets.size >= LIMITS.netPins) continue
      const target = siteIn(link.bytes, link.targetStart, link.targetEnd)
      if (target !== this.#site && target !== '') this.#targets.add(target)
    }
    this.#endPage()
  }

  take(end: boolean): Buffer {
    return gzipLines(this.takeLines(end))
  }

  takeLines(end: boolean): string[] {
    if (!end && this.#counts.size < LIMITS.notedNets) return []
    return drainLines(this.#counts, (net, count) => `${count}\t${net}`)
  }

  /** A page with many links has several groups. */
  #turnTo({ bytes, urlStart, urlEnd }: LinkRowView): void {
    if (isSame(bytes, this.#pageStart, this.#pageEnd, urlStart, urlEnd)) return
    this.#endPage()
    this.#pageStart = urlStart
    this.#pageEnd = urlEnd
    this.#site = siteIn(bytes, urlStart, urlEnd)
  }

  #endPage(): void {
    if (this.#targets.size > 0) {
      const net = `${this.#site} ${[...this.#targets].sort().join(' ')}`
      this.#counts.set(net, (this.#counts.get(net) ?? 0) + 1)
      this.#targets.clear()
    }
    this.#pageEnd = 0
  }
}

/** Compares from the end, where URLs of one site differ. */
function isSame(bytes: Buffer, start: number, end: number, otherStart: number, otherEnd: number): boolean {
  if (end - start !== otherEnd - otherStart) return false
  for (let i = end - start - 1; i >= 0; i--) if (bytes[start + i] !== bytes[otherStart + i]) return false
  return true
}

interface HostNote {
  connectMs: number
  checked: number
  changed: number
  otherBytes: number
}

export class HostNotes implements LearnedNotes {
  readonly #hosts = new Map<string, HostNote>()

  addSegment(segment: Segment): void {
    if (segment.table !== 'hosts') return
    const { rows, agent } = segment
    for (let at = 0; at < rows.length; at += rows.readUInt32LE(at)) {
      const row = rows.toString('utf8', at + 4, at + rows.readUInt32LE(at))
      const [site, address, connectMs, checked, changed, other = '0'] = row.split('\t')
      this.#add(`${site}\t${address}\t${agent}`, {
        connectMs: Number(connectMs),
        checked: Number(checked),
        changed: Number(changed),
        otherBytes: Number(other),
      })
    }
  }

  take(end: boolean): Buffer {
    return gzipLines(this.takeLines(end))
  }

  takeLines(end: boolean): string[] {
    if (!end && this.#hosts.size < LIMITS.notedNets) return []
    return drainLines(
      this.#hosts,
      (host, note) => `${host}\t${note.connectMs}\t${note.checked}\t${note.changed}\t${note.otherBytes}`,
    )
  }

  #add(host: string, note: HostNote): void {
    const known = this.#hosts.get(host)
    if (!known) {
      this.#hosts.set(host, note)
      return
    }
    const { connectMs, checked, changed, otherBytes } = note
    if (connectMs >= 0 && (known.connectMs < 0 || connectMs < known.connectMs)) known.connectMs = connectMs
    known.checked += checked
    known.changed += changed
    known.otherBytes += otherBytes
  }
}

const NOTHING = Buffer.alloc(0)

export function drainLines<T>(notes: Map<string, T>, line: (key: string, note: T) => string): string[] {
  const lines: string[] = []
  for (const [key, note] of notes) lines.push(line(key, note))
  notes.clear()
  return lines
}

export function gzipLines(lines: readonly string[]): Buffer {
  return lines.length === 0 ? NOTHING : gzipSync(`${lines.join('\n')}\n`, { level: LEVEL })
}

/** host[:port] of the normalised URL at `start` to `end`; empty where there is none. */
export function siteIn(bytes: Buffer, start: number, end: number): string {
  let at = start
  for (let slashes = 0; slashes < 2; at++) {
    if (at >= end) return ''
    if (bytes[at] === SLASH) slashes++
  }
  let to = at
  while (to < end && bytes[to] !== SLASH && bytes[to] !== QUESTION) to++
  return bytes.toString('latin1', at, to)
}
