/**
 * Documents of every kind through the whole path of a page. `ORBWEAVER_FUZZ_RUNS=1000000
 * ORBWEAVER_FUZZ_SEED=7 ORBWEAVER_FUZZ_CORPUS=folder npx vitest run test/hostile/page-path` looks further:
 * the folder holds documents to begin with, one a file. A failure names the seed and the number of its
 * document.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { OddDocuments } from '../kit/odd-documents.js'
import { temporary } from '../kit/orbweaver.js'
import { PagePath } from '../kit/page-path.js'

const runs = Number(process.env.ORBWEAVER_FUZZ_RUNS ?? 3_000)
const seed = Number(process.env.ORBWEAVER_FUZZ_SEED ?? 1)
const corpus = process.env.ORBWEAVER_FUZZ_CORPUS
const PACK_DOCUMENTS = 500

function given(folder: string | undefined): Buffer[] {
  if (folder === undefined) return []
  const files = readdirSync(folder, { withFileTypes: true, recursive: true }).filter(file => file.isFile())
  return files.map(file => readFileSync(join(file.parentPath, file.name)))
}

it('no document is an exception, from its bytes to its row in the table', { timeout: 0 }, async () => {
  const documents = new OddDocuments(seed, given(corpus))
  const path = new PagePath(temporary('page-path'), seed)
  const failures: string[] = []
  let rows = 0
  for (let i = 1; i <= runs && failures.length < 20; i++) {
    const document = documents.next()
    const before = path.faults.length
    try {
      await path.settle(document)
      if (i % PACK_DOCUMENTS === 0 || i === runs) rows += await path.seal()
    } catch (error) {
      path.faults.push((error as Error).stack ?? String(error))
    }
    for (const fault of path.faults.slice(before)) failures.push(`seed ${seed}, document ${i}: ${fault}`)
  }
  path.close()
  expect(failures).toEqual([])
  expect(rows).toBeGreaterThan(runs / 2)
})
