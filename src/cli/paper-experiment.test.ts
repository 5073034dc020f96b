import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { PaperExperiment, RunOptions } from '../simulate/experiments/frame/index.js'
import { paperCommand } from './paper-experiment.js'

describe('the command of an experiment', () => {
  let folder: string
  let asked: RunOptions
  const made: PaperExperiment = {
    name: 'made',
    about: 'made up',
    help: 'Says what it was told.',
    run(options) {
      asked = options
      return {
        rows: [{ k: 4, messages: 7 }],
        averages: { messages: 7 },
        paper: { messages: 8 },
        tables: [{ title: 'Messages', head: ['K', 'ours', 'paper'], rows: [['4', '7', '8']] }],
        notes: ['Met.'],
        chart: {
          title: 'Messages',
          panels: [
            { title: 'made', xLabel: 'K', yLabel: 'messages', series: [{ name: 'ours', points: [[4, 7]] }] },
          ],
        },
      }
    },
  }

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'orb-experiment-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('passes on how much is wanted and which seed', async () => {
    for (const [flags, effort] of [
      [['--quick'], 'quick'],
      [[], 'default'],
      [['--full'], 'full'],
    ] as const) {
      await paperCommand(made).parseAsync(['--seed', '5', '--json', ...flags], { from: 'user' })
      expect(asked).toMatchObject({ effort, seed: 5 })
    }
    await expect(
      paperCommand(made)
        .exitOverride()
        .configureOutput({ writeErr: () => {} })
        .parseAsync(['--quick', '--full'], { from: 'user' }),
    ).rejects.toThrow('--full')
  })

  it('writes the chart where it is told', async () => {
    const file = join(folder, 'made.svg')
    await paperCommand(made).parseAsync(['--json', '--chart', file], { from: 'user' })
    expect(readFileSync(file, 'utf8')).toMatch(/^<svg .*<\/svg>\n$/s)
  })
})
