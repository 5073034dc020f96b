import { expect, it } from 'vitest'
import { ASSIGNMENTS } from '../../src/config/index.js'
import { assignmentsExperiment, type CrawlFigures } from './experiment.js'

const figures = (messages: number, promised: CrawlFigures['promised'] = null): CrawlFigures => ({
  pages: 100,
  seconds: 2,
  cpuSeconds: 1,
  messages,
  coalescedMessages: messages,
  communication: messages / 100,
  workloadStdev: 0.01,
  overlap: 0,
  coverage: 1,
  quality: 1,
  workloads: [0.5, 0.5],
  promised,
})

it('puts the crawls of every assignment side by side, and says how much of its promise one that learns has kept', async () => {
  const asked: string[] = []
  const experiment = assignmentsExperiment(async (_, choices) => {
    asked.push(...choices.map(({ assign }) => assign))
    const each = choices.map(({ assign }) =>
      assign === 'hypergraph' ? figures(20, { predicted: 10, byHash: 60 }) : figures(50),
    )
    return { figures: each, urlBytes: 40 }
  })
  const { rows, tables, notes, missed, chart, averages } = await experiment.run({
    effort: 'quick',
    seed: 3,
    tell: () => {},
  })
  expect(asked).toEqual(['hash', ...ASSIGNMENTS])
  expect(rows).toHaveLength(ASSIGNMENTS.length)
  expect(rows[0]).toMatchObject({ seed: 3, assign: 'dynamic', pagesPerSecond: 50, exchangedBytes: 2_000 })
  expect(averages).toHaveProperty('hypergraph.messages', 20)
  expect(tables[0].rows.map(([name]) => name)).toEqual([...ASSIGNMENTS])
  expect(notes[0]).toMatch(/hypergraph: .* 83.3 % fewer .* 60.0 % fewer .*: 72 % of it/)
  expect(missed).toEqual([
    'seed 3: hypergraph saved 60.0 % of the messages, less than 80 % of the promised 83.3 %',
  ])
  expect(chart.panels.map(({ series }) => series.length)).toEqual([ASSIGNMENTS.length, ASSIGNMENTS.length])
})
