/** What a crash leaves, and what only an older ledger or an older directory can explain. */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { temporary } from '../../../test/kit/orbweaver.js'
import { sampleExchange, sampleRow } from '../../../test/kit/store-samples.js'
import { systemClock as clock } from '../../compose/index.js'
import { DirectoryPackStore, PackBuilder, type StoredFile } from '../../data/store/index.js'
import { warcRecords } from '../../data/store/warc/index.js'
import type { Incarnation, Ledger } from '../../ledger/index.js'
import { openSqliteLedger } from '../../ledger/sqlite/index.js'
import { LIMITS, SeededRandom } from '../../model/index.js'
import { quarantineUnlisted } from './quarantine.js'
import { surveyStore } from './store-survey.js'

const records = warcRecords({ codec: 'gzip', level: 1 }, new SeededRandom(3))

describe('the files of a directory and a ledger', () => {
  let directory: string
  let ledger: Ledger
  let incarnation: Incarnation
  let store: DirectoryPackStore
  let packs = 0

  beforeEach(async () => {
    directory = temporary('crawl')
    mkdirSync(directory)
    ledger = openSqliteLedger(join(directory, 'ledger.db'), { create: true, now: clock.now })
    incarnation = await ledger.join('a')
    store = storeOf(incarnation)
  })
  afterEach(async () => {
    await store.abandon()
    await ledger.close()
  })

  const storeOf = (incarnation: Incarnation) =>
    new DirectoryPackStore({ directory, owner: { crawl: 'c', incarnation }, clock, records, info: {} })

  async function write(into = store): Promise<readonly StoredFile[]> {
    const builder = new PackBuilder({ agent: 'a', records, tables: true })
    const url = `http://a.test/${++packs}`
    builder.add({
      leaseKey: 'c',
      row: sampleRow({ url, text: new Uint8Array(0) }),
      exchange: sampleExchange({ url, rawBody: Buffer.from(url) }),
      links: { targets: [`${url}/next`], kinds: [1] },
    })
    const result = await into.append(builder.toPack(`p${packs}`))
    if (!result.ok) throw new Error(result.detail)
    return result.files
  }
  const survey = () => surveyStore(directory, ledger, LIMITS.bodyBytes)
  const commit = async (files: readonly StoredFile[]) => ledger.swapFiles([], files)
  const fileWith = (ending: string) =>
    ['archive', 'tables/pages'].flatMap(folder =>
      readdirSync(join(directory, folder))
        .filter(name => name.includes(ending))
        .map(name => join(directory, folder, name)),
    )[0]

  it('agree while one pack is written and not committed, in listed files and in new ones', async () => {
    await write()
    expect(await survey()).toEqual({ ahead: null, missing: [] })
    await commit(await write())
    await write()
    expect(await survey()).toEqual({ ahead: null, missing: [] })
    // Torn in the middle of what was being written.
    truncateSync(fileWith('.rows'), readFileSync(fileWith('.rows')).length - 7)
    expect(await survey()).toEqual({ ahead: null, missing: [] })
  })

  it('show an older ledger by a second pack that it does not know', async () => {
    await commit(await write())
    await write()
    await write()
    const { ahead, missing } = await survey()
    expect(ahead).toMatch(/^tables\/pages\/\d+-00001\.rows has 2 packs that the ledger does not know$/)
    expect(missing).toEqual([])
  })

  it('show an older ledger by a file of an incarnation that it has never begun', async () => {
    await commit(await write())
    const stranger = storeOf(incarnation + 1)
    await write(stranger)
    await stranger.abandon()
    expect((await survey()).ahead).toMatch(/by an agent that the ledger does not know$/)
    await ledger.join('b')
    expect((await survey()).ahead).toBeNull()
  })

  it('show an older ledger by a table that has replaced files which it still lists', async () => {
    await commit(await write())
    renameSync(fileWith('.rows'), join(directory, 'tables/pages/merged-1-00001-s1.parquet'))
    const { ahead, missing } = await survey()
    expect(ahead).toMatch(/^tables\/pages\/merged-1-00001-s1\.parquet has replaced files/)
    expect(missing).toHaveLength(1)
  })

  it('show an older or damaged directory by committed bytes that are gone', async () => {
    await commit(await write())
    const size = readFileSync(fileWith('.warc.gz')).length
    truncateSync(fileWith('.warc.gz'), size - 3)
    const { ahead, missing } = await survey()
    expect({ ahead, missing }).toEqual({
      ahead: null,
      missing: [{ name: expect.stringMatching(/^archive/), bytes: 3 }],
    })
    rmSync(fileWith('.warc.gz'))
    expect((await survey()).missing).toEqual([{ name: missing[0].name, bytes: size }])
  })

  it('--restored keeps every byte that the ledger does not list, and takes its lines out of sorted indexes', async () => {
    await commit(await write())
    const committed = await ledger.files()
    const bytesOf = (kind: string) => committed.find(file => file.kind === kind)!.bytes
    await write()
    await write()
    await store.close()
    await ledger.leave(incarnation)
    copyFileSync(fileWith('.warc.gz'), join(directory, 'archive/c-9-00001.warc.gz'))
    const warc = readFileSync(fileWith('c-1-00001.warc.gz'))
    const index = fileWith('.cdxj')
    const lines = readFileSync(index, 'utf8').split('\n').filter(Boolean)
    expect(lines).toHaveLength(3)

    const aside = await quarantineUnlisted(directory, ledger, clock.now())
    const kept = (name: string) => join(directory, aside!.folder, name)
    expect(readFileSync(kept('archive/c-9-00001.warc.gz'))).toEqual(warc)
    expect(existsSync(join(directory, 'archive/c-9-00001.warc.gz'))).toBe(false)
    const from = bytesOf('warc')
    expect(readFileSync(kept(`archive/c-1-00001.warc.gz.from-${from}`))).toEqual(warc.subarray(from))
    expect(readFileSync(kept('archive/c-1-00001.cdxj'), 'utf8').split('\n').filter(Boolean)).toEqual(lines)
    expect(readFileSync(index, 'utf8').length).toBe(bytesOf('cdxj-log'))
    expect(await survey()).toMatchObject({ missing: [] })
    expect(await quarantineUnlisted(directory, ledger, clock.now())).toMatchObject({ files: 3 })
  })
})
