import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSequencer, type TestSpecification, type Vitest } from 'vitest/node'

/** Folders whose files take longest: these start first, so that the run does not end with one long file. */
const LONGEST = [
  'test/faults/',
  'test/simulate/',
  'src/plan/partition/',
  'test/e2e/',
  'test/upgrade/',
  'test/hostile/',
  'test/contract/',
] as const

class LongestFirst implements TestSequencer {
  readonly #usual: BaseSequencer

  constructor(vitest: Vitest) {
    this.#usual = new BaseSequencer(vitest)
  }

  async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted((a, b) => rank(a) - rank(b) || (a.moduleId < b.moduleId ? -1 : 1))
  }

  shard(files: TestSpecification[]): Promise<TestSpecification[]> {
    return this.#usual.shard(files)
  }
}

function rank({ moduleId }: TestSpecification): number {
  const found = LONGEST.findIndex(folder => moduleId.includes(`/${folder}`))
  return found < 0 ? LONGEST.length : found
}

export default defineConfig({
  test: {
    testTimeout: 300_000,
    hookTimeout: 300_000,
    pool: 'forks',
    globalSetup: 'test/kit/own-tmp.ts',
    // Two for each core: tests that run real crawls wait for half of their time.
    maxWorkers: 2 * availableParallelism(),
    sequence: { sequencer: LongestFirst },
    tags: [{ name: 'deep', description: 'takes too long for `npm test`; `npm run test:deep` runs it' }],
    include: ['{src,experiments,test}/**/*.test.ts'],
    // Each process runs many files: most are done sooner than the sources are loaded.
    isolate: false,
  },
})
