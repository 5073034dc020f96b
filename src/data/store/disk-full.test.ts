import { execFileSync } from 'node:child_process'
import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { inDirectory } from '../../../test/kit/store-samples.js'
import { WarcReader } from '../../page/source/warc/index.js'

/** A file size limit stands in for a full disk: the write that hits it is cut short, then refused. */
const LIMIT_KIB = 256

const SCRIPT = `
import { randomBytes } from 'node:crypto'
const at = name => import(new URL(name, process.env.SOURCES))
const { sampleExchange, sampleRow } = await at('../../../test/kit/store-samples.ts')
const { systemClock, systemRandom } = await at('../../compose/index.ts')
const { DirectoryPackStore, PackBuilder } = await at('./index.ts')
const { warcRecords } = await at('./warc/index.ts')
const records = warcRecords({ codec: 'gzip', level: 1 }, systemRandom)
const store = new DirectoryPackStore({
  directory: process.env.CRAWL, owner: { crawl: 'c', incarnation: 1 }, clock: systemClock, records, info: {},
})
const packOf = (id, bytes) => {
  const builder = new PackBuilder({ agent: 'a', records, tables: true })
  builder.add({ cell: 'c', row: sampleRow(), exchange: sampleExchange({ rawBody: randomBytes(bytes) }) })
  return builder.toPack(id)
}
const results = []
for (const bytes of [1_000, 1_000_000, 2_000]) results.push(await store.append(packOf('p' + bytes, bytes)))
const { files, problems } = await store.close()
console.log(JSON.stringify({ results, files, problems }))
`

interface Output {
  readonly results: { ok: boolean; code?: string; files?: { name: string; kind: string; bytes: number }[] }[]
  readonly files: { name: string; kind: string; bytes: number }[]
  readonly problems: string[]
}

it('a pack that does not fit is a value, leaves no trace, and the next one that fits is stored', () =>
  inDirectory(async directory => {
    const script = join(directory, 'script.mjs')
    writeFileSync(script, SCRIPT)
    const tsx = pathToFileURL(join(process.cwd(), 'node_modules/tsx/dist/esm/index.mjs')).href
    const output = execFileSync(
      'bash',
      [
        '-c',
        `trap '' XFSZ; ulimit -f ${LIMIT_KIB}; exec "$0" --import "$1" "$2"`,
        process.execPath,
        tsx,
        script,
      ],
      {
        env: { ...process.env, CRAWL: directory, SOURCES: import.meta.url, TSX_DISABLE_CACHE: '1' },
        encoding: 'utf8',
      },
    )
    const { results, problems }: Output = JSON.parse(output)
    expect(results.map(({ ok, code }) => code ?? ok)).toEqual([true, 'DISK_FULL', true])
    expect(problems).toEqual([])
    const names = readdirSync(join(directory, 'archive')).sort()
    expect(names).toEqual(['c-1-00001.cdxj', 'c-1-00001.warc.gz', 'c-1-00002.cdxj', 'c-1-00002.warc.gz'])
    for (const { name, kind, bytes } of [...(results[0].files ?? []), ...(results[2].files ?? [])])
      if (kind !== 'cdxj-log') expect(statSync(join(directory, name)).size).toBe(bytes)
    for (const name of names.filter(entry => entry.endsWith('.gz'))) {
      const reader = await WarcReader.open(join(directory, 'archive', name))
      const types: string[] = []
      for await (const result of reader.records()) types.push(result.ok ? result.record.type : result.detail)
      await reader.close()
      expect(types).toEqual(['warcinfo', 'response', 'request', 'metadata'])
    }
  }))
