/**
 * `orbweaver partition`: a hypergraph or graph file into parts; `--check` recomputes the figures of a part
 * file.
 */
import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { Command, Option } from 'commander'
import { type PartitionOptions, partition, systemClock } from '../compose/index.js'
import { ConfigError } from '../config/index.js'
import { checkPartition } from '../plan/partition/check/index.js'
import {
  readAffinity,
  readFixed,
  readGroups,
  readHypergraph,
  readPrevious,
  readTargets,
  writeParts,
} from '../plan/partition/io/index.js'
import { type PresetName, presets } from '../plan/partition/state/index.js'
import { limitCompiler } from '../runtime/threads/index.js'
import { collect, readObjectives } from './options/index.js'
import { checkedText, partitionedText, printJson, tell } from './output/index.js'

interface PartitionFlags {
  readonly k: string
  readonly check?: boolean
  readonly weights?: string
  readonly epsilon: string
  readonly preset: PresetName
  readonly seed: string
  readonly fixed?: string
  readonly targets?: string
  readonly groups?: string
  readonly affinity?: string
  readonly objective: readonly string[]
  readonly previous?: string
  readonly migrationWeight?: string
  readonly timeLimit?: string
  readonly out?: string
  readonly json?: boolean
}

const EXAMPLES = `
Examples:
  $ orbweaver partition web.hgr -k 16
      writes 16 parts, balanced within 5 %, to web.hgr.part.16, one part number per line
  $ orbweaver partition web.hgr -k 16 --weights web.vw --epsilon 0.05,0.1 --json
      several weights per vertex (bytes, pages), each with its own bound
  $ orbweaver partition web.hgr -k 17 --weights web.vw --previous web.hgr.part.16 --migration-weight 0.02
      one part more, with few moves: moving fifty pages costs as much as one message
  $ orbweaver partition links.graph -k 8 --objective links.graph:2 --objective near.graph:1
      two graphs over the same vertices, links counting twice as much as nearness
  $ orbweaver partition --check web.hgr web.hgr.part.16 -k 16
      recomputes the figures of a partition from the files, with separate code

FILE is a METIS graph if its name ends in .graph, else an hMETIS hypergraph. docs/explanation/partitioner.md describes the files.`

export function partitionCommand(): Command {
  return new Command('partition')
    .argument('<file>', 'hypergraph (hMETIS) or graph (METIS, name ends in .graph)')
    .argument('[partfile]', 'with --check: the part file')
    .requiredOption('-k, --k <n>', 'number of parts')
    .option('--check', 'do not partition, but recompute the figures of PARTFILE')
    .option('--weights <file>', 'file with a line per vertex and a column per balance constraint')
    .option('--epsilon <list>', 'how far a part may exceed its share, one value or one per column', '0.05')
    .addOption(
      new Option('--preset <name>', 'how much work to spend')
        .choices(Object.keys(presets))
        .default('default'),
    )
    .option('--seed <n>', 'seed; the same seed gives the same parts', '1')
    .option('--fixed <file>', 'file with a line per vertex: the part it is pinned to, or -1')
    .option('--targets <file>', 'file with a line per part: its share')
    .option('--groups <file>', 'file with a line per vertex: the group it must stay with, or -1')
    .option(
      '--affinity <file>',
      'file with lines "vertex part gain": the gain of having the vertex in that part',
    )
    .addOption(
      new Option('--objective <file:p>', 'one of several edge files with its weight; may be repeated')
        .argParser(collect)
        .default([], 'none'),
    )
    .option('--previous <file>', 'part file to start from, -1 for new vertices')
    .option('--migration-weight <x>', 'with --previous: cost of moving one unit of the last weight column')
    .option('--time-limit <s>', 'return the best partition found within this many seconds')
    .option('--out <file>', 'part file to write (default: FILE.part.K)')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', EXAMPLES)
    .action((file: string, partFile: string | undefined, flags: PartitionFlags) => {
      if (flags.check) check(file, partFile, flags)
      else run(file, partFile, flags)
    })
}

function run(file: string, partFile: string | undefined, flags: PartitionFlags): void {
  if (partFile !== undefined)
    throw new ConfigError(`unexpected file ${partFile}: only --check takes a second file`)
  const started = systemClock.monotonic()
  if (flags.preset === 'fast') limitCompiler()
  const k = wholeNumber('-k', flags.k, 1)
  const out = flags.out ?? `${file}.part.${k}`
  if (!existsSync(dirname(out))) throw new ConfigError(`--out ${out}: its folder does not exist`)
  if (statSync(out, { throwIfNoEntry: false })?.isDirectory())
    throw new ConfigError(`--out ${out}: this is a folder; name a file`)
  const request = requestOf(file, k, flags)
  const result = partition(request)
  writeParts(out, result.parts)
  const seconds = (systemClock.monotonic() - started) / 1_000
  if (flags.json) {
    const { parts, heavyVertices, ...figures } = result
    // Vertices are numbered from 1 in all the files.
    printJson({ ...figures, heavyVertices: heavyVertices.map(vertex => vertex + 1), seconds, out })
  } else {
    tell(partitionedText(request, result, { file, out, seconds }))
  }
}

function check(file: string, partFile: string | undefined, flags: PartitionFlags): void {
  if (partFile === undefined) throw new ConfigError('--check wants two files: the hypergraph and the parts')
  const started = systemClock.monotonic()
  const k = wholeNumber('-k', flags.k, 1)
  const { weights, targets, fixed, groups, affinity, previous } = flags
  const files = present({ weights, targets, fixed, groups, affinity, previous })
  const checked = checkPartition({ file, partFile, k, ...files })
  const seconds = (systemClock.monotonic() - started) / 1_000
  if (flags.json) printJson({ ...checked, seconds })
  else tell(checkedText(checked, partFile))
}

function requestOf(file: string, k: number, flags: PartitionFlags): PartitionOptions {
  const hypergraph = readHypergraph(file, flags.weights)
  const { vertexCount } = hypergraph
  if (k > vertexCount) throw new ConfigError(`${file}: ${vertexCount} vertices cannot make ${k} parts (-k)`)
  if (flags.migrationWeight !== undefined && flags.previous === undefined)
    throw new ConfigError('--migration-weight says what moving costs; --previous FILE says from where')
  const groups = given(flags.groups, name => readGroups(name, vertexCount))
  return {
    hypergraph,
    k,
    epsilon: epsilonsOf(flags.epsilon, hypergraph.constraintCount),
    preset: flags.preset,
    seed: wholeNumber('--seed', flags.seed, 0),
    ...present({
      objectives:
        flags.objective.length === 0 ? undefined : readObjectives(file, hypergraph, flags.objective),
      groups,
      fixed: given(flags.fixed, name => readFixed(name, vertexCount, k, groups)),
      targets: given(flags.targets, name => readTargets(name, k)),
      affinity: given(flags.affinity, name => readAffinity(name, vertexCount, k)),
      previous: given(flags.previous, name => readPrevious(name, vertexCount)),
      migrationWeight: given(flags.migrationWeight, text => amount('--migration-weight', text)),
      timeLimitMs: given(flags.timeLimit, text => amount('--time-limit', text) * 1_000),
    }),
  }
}

function epsilonsOf(text: string, constraintCount: number): readonly number[] {
  const list = text.split(',').map(item => amount('--epsilon', item))
  if (list.length === 1) return new Array<number>(constraintCount).fill(list[0])
  if (list.length === constraintCount) return list
  throw new ConfigError(`--epsilon ${text}: ${list.length} numbers for ${constraintCount} weights per vertex`)
}

function wholeNumber(flag: string, text: string, least: number): number {
  const value = amount(flag, text)
  if (!Number.isSafeInteger(value) || value < least)
    throw new ConfigError(`${flag} ${text}: a whole number of at least ${least} is wanted`)
  return value
}

/** A number of at least 0. */
function amount(flag: string, text: string): number {
  const value = text.trim() === '' ? Number.NaN : Number(text)
  if (!Number.isFinite(value)) throw new ConfigError(`${flag} ${text}: a number is wanted`)
  if (value < 0) throw new ConfigError(`${flag} ${text}: it cannot be negative`)
  return value
}

function given<T>(text: string | undefined, read: (text: string) => T): T | undefined {
  return text === undefined ? undefined : read(text)
}

/** Removes undefined options: an absent option gets its default, an undefined one does not. */
function present<T extends object>(options: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> }
}
