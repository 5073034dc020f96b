import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { PaperExperiment, RunOptions } from './frame/index.js'
import { paperCommand } from './paper-experiment.js'

describe('the command of an experiment', () => {
  let folder: string
  let asked: RunOptions
  let missed: readonly string[]
  let printed: string
  let told: string[]
  let codes: number[]
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
        missed,
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
    missed = []
    printed = ''
    told = []
    codes = []
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  function command() {
    return paperCommand(made, code => codes.push(code), {
      print: text => {
        printed += text
      },
      tell: line => told.push(line),
    })
  }

  it('passes on how much is wanted and which seed', async () => {
    for (const [flags, effort] of [
      [['--quick'], 'quick'],
      [[], 'default'],
      [['--full'], 'full'],
    ] as const) {
      await command().parseAsync(['--seed', '5', '--json', ...flags], { from: 'user' })
      expect(asked).toMatchObject({ effort, seed: 5 })
    }
    await expect(
      command()
        .exitOverride()
        .configureOutput({ writeErr: () => {} })
        .parseAsync(['--quick', '--full'], { from: 'user' }),
    ).rejects.toThrow('--full')
  })

  it('writes the chart where it is told', async () => {
    const file = join(folder, 'made.svg')
    await command().parseAsync(['--json', '--chart', file], { from: 'user' })
    expect(readFileSync(file, 'utf8')).toMatch(/^<svg .*<\/svg>\n$/s)
  })

  it('prints tables for people, and rows, averages and paper as JSON, nothing else', async () => {
    await command().parseAsync([], { from: 'user' })
    expect(printed).toBe(
      '### Messages\n\n| K   | ours | paper |\n| --- | ---: | ----: |\n| 4   |    7 |     8 |\n\nMet.\n',
    )
    printed = ''
    await command().parseAsync(['--json'], { from: 'user' })
    expect(JSON.parse(printed)).toEqual({
      rows: [{ k: 4, messages: 7 }],
      averages: { messages: 7 },
      paper: { messages: 8 },
    })
    expect(codes).toEqual([])
  })

  it('says which targets were missed, beside the JSON too, and ends with 13', async () => {
    missed = ['K = 4: 7 messages, not 6', 'K = 8: too heavy']
    await command().parseAsync([], { from: 'user' })
    expect(printed).toMatch(/\nMet\.\nmissed: K = 4: 7 messages, not 6\nmissed: K = 8: too heavy\n$/)
    expect(told).toEqual([])
    printed = ''
    await command().parseAsync(['--json'], { from: 'user' })
    expect(Object.keys(JSON.parse(printed) as object)).toEqual(['rows', 'averages', 'paper'])
    expect(told).toEqual(missed.map(line => `missed: ${line}`))
    expect(codes).toEqual([13, 13])
  })
})
