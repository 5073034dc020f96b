/** What a finished crawl holds, read by tools that share nothing with the code that wrote it. */
import { createHash } from 'node:crypto'
import { createReadStream, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { WARCParser } from 'warcio'
import { openTables } from '../../src/data/query/index.js'
import { loadZstd } from '../../src/model/bytes/index.js'
import { firstMember } from '../../src/page/source/warc/index.js'

/** URLs of the pages table with an outcome, as often as they stand there. */
export async function urlsWith(directory: string, outcome: string): Promise<string[]> {
  const tables = await openTables(directory)
  try {
    const urls: string[] = []
    for await (const row of tables.query(`SELECT url FROM pages WHERE outcome = '${outcome}'`))
      urls.push(String(row.url))
    return urls
  } finally {
    await tables.close()
  }
}

export interface WarcCheck {
  readonly records: number
  readonly types: Readonly<Record<string, number>>
  /** Target URLs of response and revisit records with status 200 or 304, robots.txt and sitemaps apart. */
  readonly pages: readonly string[]
  /** Those of them that say they were cut and have no payload: only the head is there. */
  readonly headsOnly: readonly string[]
  /** Target URLs of all records that say they were cut. */
  readonly truncated: readonly string[]
  readonly problems: readonly string[]
}

/** Reads every record of every WARC with warcio and computes every digest anew. */
export async function checkWarcs(directory: string): Promise<WarcCheck> {
  const types: Record<string, number> = {}
  const pages: string[] = []
  const headsOnly: string[] = []
  const truncated: string[] = []
  const problems: string[] = []
  let records = 0
  for (const file of readdirSync(join(directory, 'archive')).filter(name => name.includes('.warc'))) {
    const path = join(directory, 'archive', file)
    const parser = new WARCParser(file.endsWith('.zst') ? await plainOf(path) : createReadStream(path))
    for await (const record of parser) {
      records++
      const type = record.warcType ?? 'none'
      types[type] = (types[type] ?? 0) + 1
      const head = type === 'response' ? record.httpHeaders : undefined
      const payload = await record.readFully(false)
      const expected = record.warcHeaders.headers.get('WARC-Payload-Digest')
      if (type === 'response' && expected !== digestOf(payload))
        problems.push(`${file}: payload of ${record.warcTargetURI}`)
      const url = record.warcTargetURI ?? ''
      if (record.warcHeaders.headers.has('WARC-Truncated')) truncated.push(url)
      if (head && Number(head.statusCode) === 200 && !NO_PAGE.test(url)) {
        pages.push(url)
        if (record.warcHeaders.headers.has('WARC-Truncated') && payload.length === 0) headsOnly.push(url)
      }
    }
  }
  return { records, types, pages, headsOnly, truncated, problems }
}

/** The records of a .warc.zst without their frames: warcio knows gzip only. */
async function plainOf(path: string): Promise<ReadableStream<Uint8Array>> {
  await loadZstd()
  const bytes = readFileSync(path)
  const records: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const member = firstMember(bytes.subarray(at), bytes.length * 100)
    if (!member.ok) throw new Error(`${path} at ${at}: ${member.why}`)
    records.push(member.content)
    at += member.length
  }
  return new Blob(records).stream()
}

const NO_PAGE = /\/(?:robots\.txt|sitemap(?:-\d+)?\.xml)$/

function digestOf(bytes: Uint8Array): string {
  return `sha1:${base32(createHash('sha1').update(bytes).digest())}`
}

function base32(bytes: Buffer): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
  let bits = ''
  for (const byte of bytes) bits += byte.toString(2).padStart(8, '0')
  return bits.replace(/.{5}/g, five => alphabet[Number.parseInt(five, 2)])
}
