/**
 * Every rule that the SQLite ledger keeps, switched off in its source: the contract's test of that rule, which passes on
 * the source as it is (`sqlite-ledger.test.ts`), must fail then.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { openSqliteLedger } from '../../src/cluster/index.js'
import { ledgerContract } from './ledger-contract.js'
import { LEDGER_MUTANTS, type LedgerMutant } from './mutants.js'

const root = fileURLToPath(new URL('../../', import.meta.url))
let folder: string
// Inside the package: what a bundle imports is looked for from where it lies.
beforeAll(() => {
  mkdirSync(join(root, 'tmp'), { recursive: true })
  folder = mkdtempSync(join(root, 'tmp', 'orb-mutants-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

type Case = () => Promise<void>

/** The tests of the contract by name, each with a ledger of its own. */
function casesFor(open: typeof openSqliteLedger): Map<string, Case> {
  const cases = new Map<string, Case>()
  let before: Case = async () => {}
  let after: Case = async () => {}
  let count = 0
  const newLedger = async () => {
    let now = 1_000_000
    const path = join(mkdtempSync(join(folder, 'ledger-')), `${++count}.db`)
    const ledger = open(path, { create: true, now: () => now })
    return {
      ledger,
      advance: (ms: number) => {
        now += ms
      },
    }
  }
  ledgerContract('', newLedger, {
    describe: (_name, body) => body(),
    it: (name, test) => void cases.set(name, () => before().then(test).finally(after)),
    beforeEach: task => {
      before = async () => void (await task())
    },
    afterEach: task => {
      after = async () => void (await task())
    },
  })
  return cases
}

/** The ledger, compiled from its source with one edit. */
async function compiled(mutant: LedgerMutant, number: number): Promise<typeof openSqliteLedger> {
  const outfile = join(folder, `ledger-${number}.mjs`)
  await build({
    stdin: { contents: `export { openSqliteLedger } from './src/cluster/index.js'`, resolveDir: root },
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    outfile,
    logLevel: 'error',
    plugins: [
      {
        name: 'mutant',
        setup: ({ onLoad }) =>
          onLoad({ filter: /src\/cluster\/sqlite-\w+\.ts$/ }, ({ path }) => {
            const source = readFileSync(path, 'utf8')
            const isIt = basename(path) === mutant.file
            return { loader: 'ts', contents: isIt ? edited(source, mutant) : source }
          }),
      },
    ],
  })
  const module = (await import(pathToFileURL(outfile).href)) as { openSqliteLedger: typeof openSqliteLedger }
  return module.openSqliteLedger
}

function edited(source: string, { file, keeps, breaks }: LedgerMutant): string {
  const parts = source.split(keeps)
  expect(parts.length, `${file} has this once: ${keeps}`).toBe(2)
  return parts.join(breaks)
}

describe('a rule of the ledger that is switched off is noticed', () => {
  for (const [number, mutant] of LEDGER_MUTANTS.entries()) {
    it(mutant.rule, async () => {
      const test = casesFor(await compiled(mutant, number)).get(mutant.caughtBy)
      expect(test, `the contract has a test "${mutant.caughtBy}"`).toBeDefined()
      await expect(test!()).rejects.toMatchObject({ name: 'AssertionError' })
    })
  }
})
