/**
 * A ledger compiled from its source with one edit, and the tests of a suite as tasks that can be seen to
 * fail.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { expect } from 'vitest'
import type { Runner } from './ledger-contract.js'
import type { LedgerMutant } from './mutants.js'

const root = fileURLToPath(new URL('../../', import.meta.url))

type Case = () => Promise<void>

export class Workshop {
  /** Inside the package: what a bundle imports is looked for from where it lies. */
  readonly folder: string
  #count = 0

  constructor() {
    mkdirSync(join(root, 'tmp'), { recursive: true })
    this.folder = mkdtempSync(join(root, 'tmp', 'orb-mutants-'))
  }

  /** What `module` of `src/ledger/` exports, with the edit of the mutant. */
  async compiled<T>(module: string, mutant: LedgerMutant): Promise<T> {
    const outfile = join(this.folder, `ledger-${++this.#count}.mjs`)
    await build({
      stdin: { contents: `export * from './src/ledger/${module}'`, resolveDir: root },
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
            onLoad({ filter: /src\/ledger\/.*\w+-[\w-]+\.ts$/ }, ({ path }) => {
              const source = readFileSync(path, 'utf8')
              const isIt = basename(path) === mutant.file
              return { loader: 'ts', contents: isIt ? edited(source, mutant) : source }
            }),
        },
      ],
    })
    return (await import(pathToFileURL(outfile).href)) as T
  }

  close(): void {
    rmSync(this.folder, { recursive: true })
  }
}

function edited(source: string, { file, keeps, breaks }: LedgerMutant): string {
  const parts = source.split(keeps)
  expect(parts.length, `${file} has this once: ${keeps}`).toBe(2)
  return parts.join(breaks)
}

/** The tests of a suite by name, each with a ledger of its own. */
export function casesOf(suite: (runner: Runner) => void): Map<string, Case> {
  const cases = new Map<string, Case>()
  let before: Case = async () => {}
  let after: Case = async () => {}
  suite({
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
