/** Checks WARC files record by record, and the lines of their indexes against the records. */
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { indexEntryOf, payloadDigest } from '../data/store/warc/index.js'
import { archivedPayload, holdsPage, WarcReader, type WarcRecord } from '../page/source/warc/index.js'

/** Records of one WARC that an index points to: length and URL by offset. */
export type RecordPlaces = Map<number, string>

const placeOf = (length: number | string, url: string) => `${length} ${url}`

/**
 * Reads the first `bytes` of a WARC, or all of it; returns what is wrong with the first bad record, or null.
 */
export async function checkRecords(
  path: string,
  bytes: number | undefined,
  places: RecordPlaces,
): Promise<string | null> {
  const reader = await WarcReader.open(path)
  try {
    for await (const result of reader.records(bytes)) {
      if (!result.ok) return `the record at byte ${result.offset} is bad: ${result.detail}`
      const { record, offset, length } = result
      if (!hasItsPayload(record))
        return `the record at byte ${offset} is bad: its payload does not match its digest`
      if (holdsPage(record)) places.set(offset, placeOf(length, record.headers.get('warc-target-uri') ?? ''))
    }
    return null
  } finally {
    await reader.close()
  }
}

/** Compares the payload digest of a page; a revisit has that of another record. */
function hasItsPayload(record: WarcRecord): boolean {
  const expected = record.headers.get('warc-payload-digest')
  if (expected === undefined || record.type === 'revisit') return true
  if (record.type === 'conversion') return payloadDigest(record.block) === expected
  if (!holdsPage(record)) return true
  const payload = archivedPayload(record)
  return payload === null || payloadDigest(payload) === expected
}

/** Every line of an index must point to a record of its WARC, and every record must have a line. */
export async function checkIndex(
  path: string,
  bytes: number,
  places: RecordPlaces,
  isSorted: boolean,
): Promise<string | null> {
  const input = createReadStream(path, { end: Math.max(0, bytes - 1) })
  let last: Buffer = Buffer.alloc(0)
  let count = 0
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    count++
    const { url, offset, length } = indexEntryOf(line)
    if (places.get(Number(offset)) !== placeOf(String(length), String(url)))
      return `line ${count} does not point to its record`
    const text = Buffer.from(line)
    if (isSorted && last.compare(text) > 0) return `line ${count} is out of order`
    last = text
  }
  return count === places.size ? null : `it has ${count} lines for ${places.size} records`
}
