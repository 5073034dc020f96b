/**
 * A folder as one gzip file, without times and owners: for every entry a line of JSON, and behind it the
 * bytes of the file. An entry without `bytes` is a folder.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'

interface Entry {
  readonly path: string
  readonly bytes?: number
}

export function packFolder(folder: string): Buffer {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true })
  const parts = found
    .map(entry => ({
      path: join(entry.parentPath, entry.name).slice(folder.length + 1),
      isFile: entry.isFile(),
    }))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
    .flatMap(({ path, isFile }) => {
      if (!isFile) return [lineOf({ path })]
      const content = readFileSync(join(folder, path))
      return [lineOf({ path, bytes: content.length }), content]
    })
  return gzipSync(Buffer.concat(parts), { level: 9 })
}

export function unpackFolder(packed: Buffer, folder: string): void {
  const all = gunzipSync(packed)
  mkdirSync(folder, { recursive: true })
  for (let at = 0; at < all.length; ) {
    const start = all.indexOf(0x0a, at) + 1
    const { path, bytes } = JSON.parse(all.toString('utf8', at, start)) as Entry
    at = start + (bytes ?? 0)
    const target = join(folder, path)
    mkdirSync(bytes === undefined ? target : dirname(target), { recursive: true })
    if (bytes !== undefined) writeFileSync(target, all.subarray(start, at))
  }
}

function lineOf(entry: Entry): Buffer {
  return Buffer.from(`${JSON.stringify(entry)}\n`)
}
