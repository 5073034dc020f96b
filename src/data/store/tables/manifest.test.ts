import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { inDirectory, SAMPLE_TIME } from '../../../../test/kit/store-samples.js'
import { type Manifest, readManifest, writeManifest } from './manifest.js'

const manifest: Manifest = {
  writtenAt: SAMPLE_TIME,
  tables: {
    pages: {
      files: [{ name: 'tables/pages/m-1.parquet', bytes: 10, crc32: 7 }],
      logs: [{ name: 'tables/pages/1-00002.rows', bytes: 5, crc32: null }],
    },
    links: { files: [], logs: [] },
    items: { files: [], logs: [] },
    sites: { files: [], logs: [] },
  },
}

it('the manifest is read as it was written, and replaced as a whole', () =>
  inDirectory(directory => {
    writeManifest(directory, { ...manifest, writtenAt: 0 })
    writeManifest(directory, manifest)
    expect(readManifest(directory)).toEqual({ ok: true, manifest })
    expect(readdirSync(join(directory, 'tables')).sort()).toEqual(['links', 'manifest.json', 'pages'])
  }))

it('a manifest that is missing, newer or damaged says so', () =>
  inDirectory(directory => {
    const said = (content: string) => {
      mkdirSync(join(directory, 'tables'), { recursive: true })
      writeFileSync(join(directory, 'tables/manifest.json'), content)
      const result = readManifest(directory)
      return result.ok ? 'ok' : result.why
    }
    expect(readManifest(directory)).toMatchObject({ ok: false, why: 'missing' })
    expect(said('{')).toBe('damaged')
    expect(said('null')).toBe('damaged')
    expect(said('{"version":2,"tables":{}}')).toBe('newer')
    expect(said('{"version":1,"tables":{"pages":{"files":[3],"logs":[]}}}')).toBe('damaged')
    const tables =
      '{"pages":{"files":[],"logs":[]},"links":{"files":[],"logs":[]},"sites":{"files":[],"logs":[null]}}'
    expect(said(`{"version":1,"tables":${tables}}`)).toBe('damaged')
  }))
