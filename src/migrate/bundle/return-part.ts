/**
 * A part of a return (`.owr`): pages that a host has visited, in order of the visits. Parts are numbered from
 * 1, and the last says how the tour ended.
 */
import type { KeyObject } from 'node:crypto'
import { PART_INFLATED_BYTES } from '../limits.js'
import { type Opened, openContainer, sealContainer } from './container.js'
import { isCount, isText, readObject } from './fields.js'

const MAGIC = 'OWRETN1\n'

/**
 * `more`: further parts follow. `done`: nothing is left to visit. `limit`: the tour reached a limit of the
 * host or of the bundle. `stopped`: its time is over, or the home has stopped it.
 */
export type TourEnd = 'more' | 'done' | 'limit' | 'stopped'
const ENDS: readonly unknown[] = ['more', 'done', 'limit', 'stopped'] satisfies TourEnd[]

export interface ReturnPartManifest {
  /** Id of the bundle. */
  readonly bundle: string
  readonly cell: string
  readonly epoch: number
  /** From 1. */
  readonly number: number
  readonly end: TourEnd
  /** Pages judged and kept since the start of the tour. */
  readonly judged: number
  readonly kept: number
  /** Bytes read at the source since the start. */
  readonly readBytes: number
  /** What gzip made of a sample of the pages, per mille; 0 without a sample. */
  readonly gzipPerMille: number
}

export interface ReturnPart {
  readonly manifest: ReturnPartManifest
  /** One line for each visit, as `writeVisits` writes them. */
  readonly visits: Uint8Array
  /** Heads and payloads of the responses, in the same order. */
  readonly exchanges: Uint8Array
  /** Fingerprints of pages that were judged and not kept, eight bytes each. */
  readonly judged: Uint8Array
  /**
   * Discoveries: links of those pages to other sites, and URLs of the site that the tour leaves to the home.
   */
  readonly links: Uint8Array
}

export function sealPart(part: ReturnPart, privateKey: KeyObject): Promise<Buffer> {
  const { manifest, visits, exchanges, judged, links } = part
  return sealContainer(MAGIC, manifest, [visits, exchanges, judged, links], privateKey)
}

/** What a home expects: the part of this tour with this number, signed by this host. */
export interface Expected {
  readonly host: string
  readonly bundle: string
  readonly cell: string
  readonly epoch: number
  readonly number: number
  /** The most it accepts, as sent. */
  readonly bytes: number
}

export async function openPart(bytes: Buffer, expected: Expected): Promise<Opened<ReturnPart>> {
  const limits = { bytes: expected.bytes, inflatedBytes: PART_INFLATED_BYTES }
  const opened = await openContainer(MAGIC, bytes, limits, value => {
    const manifest = readManifest(value)
    if (typeof manifest === 'string') return manifest
    const { bundle, cell, epoch, number } = manifest
    if (bundle !== expected.bundle || cell !== expected.cell || epoch !== expected.epoch)
      return 'it is of another tour'
    if (number !== expected.number) return `it is number ${number}, and ${expected.number} was due`
    return { manifest, signer: expected.host }
  })
  if (!opened.ok) return opened
  const [visits, exchanges, judged, links] = opened.sections
  if (opened.sections.length !== 4 || judged!.length % 8 !== 0)
    return { ok: false, why: 'its sections are wrong' }
  return {
    ok: true,
    manifest: opened.manifest,
    visits: visits!,
    exchanges: exchanges!,
    judged: judged!,
    links: links!,
  }
}

function readManifest(value: unknown): ReturnPartManifest | string {
  const count = isCount(0, Number.MAX_SAFE_INTEGER)
  return readObject<ReturnPartManifest>(value, {
    bundle: isText(32, /^[0-9a-f]{32}$/),
    cell: isText(2_000, /^[^\p{Cc}]+$/u),
    epoch: count,
    number: isCount(1, 0xffff_ffff),
    end: end => ENDS.includes(end),
    judged: count,
    kept: count,
    readBytes: count,
    gzipPerMille: isCount(0, 2_000),
  })
}
