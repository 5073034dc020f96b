/**
 * Finds the sound records and the damaged ranges of a WARC. After damage the scan continues at the next
 * offset in an index or table, never at what looks like a record: a page may contain such bytes.
 */
import { sha1Digest } from '../data/store/warc/index.js'
import { type SoundRecord, WarcReader, type WarcRecord } from '../page/source/warc/index.js'

export interface DamagedRange {
  readonly ok: false
  readonly offset: number
  readonly length: number
}

export type ScanStep = SoundRecord | DamagedRange

/** `places`: known offsets of responses, in order. */
export async function* scanWarc(
  path: string,
  committedBytes: number,
  places: readonly number[],
): AsyncGenerator<ScanStep> {
  const reader = await WarcReader.open(path)
  try {
    for (let at = 0; at < committedBytes; ) {
      const damagedAt = yield* soundRecords(reader, at, committedBytes)
      if (damagedAt === null) return
      at = await nextSound(reader, damagedAt, committedBytes, places)
      yield { ok: false, offset: damagedAt, length: at - damagedAt }
    }
  } finally {
    await reader.close()
  }
}

/** Returns the offset of the first damage; null at the end. */
async function* soundRecords(
  reader: WarcReader,
  from: number,
  end: number,
): AsyncGenerator<SoundRecord, number | null> {
  for await (const result of reader.records(end, from)) {
    if (!result.ok || !isSound(result.record)) return result.offset
    yield result
  }
  return null
}

async function nextSound(
  reader: WarcReader,
  damagedAt: number,
  end: number,
  places: readonly number[],
): Promise<number> {
  for (const place of places) {
    if (place <= damagedAt || place >= end) continue
    for await (const result of reader.records(end, place)) {
      if (result.ok && isSound(result.record)) return place
      break
    }
  }
  return end
}

/** Records of other crawlers may have no digest or another algorithm. */
function isSound({ headers, block }: WarcRecord): boolean {
  const digest = headers.get('warc-block-digest')
  return digest === undefined || !digest.startsWith('sha1:') || digest === sha1Digest(block)
}
