import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSequencer, type TestSpecification, type Vitest } from 'vitest/node'

/**
 * Minutes of CPU each, or minutes of waiting: begun first, so that nobody waits for one of them at the end.
 */
const LONGEST = [
  'test/simulate/',
  'test/faults/',
  'src/plan/partition/',
  'test/e2e/',
  'test/upgrade/',
  'test/hostile/',
  'src/simulate/',
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
    include: ['src/**/*.test.ts', 'experiments/**/*.test.ts', 'test/**/*.test.ts'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    pool: 'forks',
    globalSetup: 'test/kit/own-tmp.ts',
    // All cores: left to itself vitest keeps one free, which of two is half.
    maxWorkers: '100%',
    sequence: { sequencer: LongestFirst },
  },
})
