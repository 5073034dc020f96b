/** Reads bodies from the archives by their place; a revisit is followed to the record that it refers to. */
import { LIMITS } from '../../model/index.js'
import { holdsPage, responseOf, WarcReader, type WarcRecord } from '../../page/source/warc/index.js'
import { pathOf } from '../query/index.js'
import { payloadDigest } from '../store/warc/index.js'
import type { ExportedPage, ExportIndex, RecordPlace } from './export-index.js'

export type Body =
  | { readonly ok: true; readonly bytes: Buffer }
  /** `elsewhere`: the body is in the archive of an earlier crawl, which could not be read. */
  | { readonly ok: false; readonly why: 'elsewhere' | 'unreadable' | 'damaged'; readonly detail: string }

export class ArchiveBodies {
  /** The crawl's directory, then those of earlier crawls. */
  readonly #dirs: readonly string[]
  readonly #index: ExportIndex
  #open: { readonly path: string; readonly reader: WarcReader } | null = null

  constructor(dirs: readonly string[], index: ExportIndex) {
    this.#dirs = dirs
    this.#index = index
  }

  async bodyOf(page: ExportedPage): Promise<Body> {
    const body = await this.#bodyAt(page)
    if (body.ok || page.archive === 0) return body
    return { ok: false, why: 'elsewhere', detail: `${this.#dirs[page.archive]}: ${body.detail}` }
  }

  async #bodyAt(page: ExportedPage): Promise<Body> {
    const record = await this.#record(page)
    if ('detail' in record) return { ok: false, why: 'damaged', detail: record.detail }
    if (record.type === 'conversion') return { ok: true, bytes: record.block }
    if (isContent(record)) return decoded(record)
    const digest = record.headers.get('warc-payload-digest') ?? page.digest
    for (const place of this.#index.placesOf(digest, page.url)) {
      const other = await this.#record(place)
      if ('headers' in other && isContent(other)) return decoded(other)
    }
    return { ok: false, why: 'elsewhere', detail: 'no earlier crawl holds them' }
  }

  async close(): Promise<void> {
    await this.#open?.reader.close()
    this.#open = null
  }

  async #record(place: RecordPlace): Promise<WarcRecord | { readonly detail: string }> {
    try {
      const reader = await this.#readerOf(place)
      const result = await reader.record(place.offset, place.length)
      return result.ok ? result.record : { detail: `${place.warc} at ${place.offset}: ${result.detail}` }
    } catch (error) {
      return { detail: `${place.warc}: ${(error as Error).message}` }
    }
  }

  /** Pages come in the order of the archives, so one open file is enough. */
  async #readerOf({ archive, warc }: RecordPlace): Promise<WarcReader> {
    const path = pathOf(this.#dirs[archive], warc)
    if (this.#open?.path !== path) {
      await this.close()
      this.#open = { path, reader: await WarcReader.open(path) }
    }
    return this.#open.reader
  }
}

function isContent(record: WarcRecord): boolean {
  return holdsPage(record) && record.type !== 'revisit'
}

async function decoded(record: WarcRecord): Promise<Body> {
  const response = await responseOf(record, LIMITS.bodyBytes)
  const digest = record.headers.get('warc-payload-digest')
  if (response && digest !== undefined && payloadDigest(response.payload) !== digest)
    return { ok: false, why: 'damaged', detail: 'the payload does not match the digest in its record' }
  if (response) return { ok: true, bytes: response.body }
  return { ok: false, why: 'unreadable', detail: 'the response cannot be decoded' }
}
