import type { Figures } from '../measure/rounds.js'
import { BARE, FULL } from '../peers/crawlers.js'

/** Measured figures by corpus name. */
export type Measured = ReadonlyMap<string, readonly Figures[]>

interface Target {
  readonly work: string
  readonly corpus: string
  readonly ours: string
  readonly peer: string
  /** Our CPU per covered page, as a share of the peer's in the same run. */
  readonly atMost: number
}

const TARGETS: readonly Target[] = [
  { work: 'no archive, no tables', corpus: 'generated', ours: BARE, peer: 'wget2', atMost: 2 },
  { work: 'no archive, no tables', corpus: 'generated', ours: BARE, peer: 'spider-rs', atMost: 0.35 },
  { work: 'no archive, no tables', corpus: 'generated', ours: BARE, peer: 'Crawlee Http', atMost: 0.06 },
  { work: 'no archive, no tables', corpus: 'real HTML', ours: BARE, peer: 'wget2', atMost: 1.5 },
  { work: 'no archive, no tables', corpus: 'real HTML', ours: BARE, peer: 'spider-rs', atMost: 0.2 },
  { work: 'everything', corpus: 'generated', ours: FULL, peer: 'spider-rs', atMost: 0.75 },
  { work: 'everything', corpus: 'generated', ours: FULL, peer: 'wget --warc-file', atMost: 0.5 },
]

const FULL_PAGES_PER_SECOND = 1_800

/** One row per target: what was asked, what was measured, whether that is enough. */
export function targetRows(measured: Measured): string[][] {
  const rows = TARGETS.map(({ work, corpus, ours, peer, atMost }) => {
    const our = find(measured, corpus, ours)
    const their = find(measured, corpus, peer)
    const ratio = our && their && our.cpuSecondsPerThousand / their.cpuSecondsPerThousand
    const verdict = verdictOf(ratio, value => value <= atMost)
    const rounds = our && their ? byRound(our, their) : '-'
    return [`${work}, ${corpus}`, `CPU per page, at most ${atMost}x ${peer}`, times(ratio), rounds, verdict]
  })
  return [...rows, speedRow(find(measured, 'generated', FULL))]
}

/** The ratio of each round that both took part in. */
function byRound(our: Figures, their: Figures): string {
  const rounds = Math.min(our.roundsCpu.length, their.roundsCpu.length)
  const ratios = our.roundsCpu.slice(0, rounds).map((cpu, round) => cpu / their.roundsCpu[round])
  return ratios.map(times).join(', ')
}

/** A busy machine shows in pages per second; pages per CPU second are what a quiet core would give. */
function speedRow(full: Figures | undefined): string[] {
  const target = `at least ${FULL_PAGES_PER_SECOND.toLocaleString('en')} pages/s on a quiet core`
  const perCpuSecond = full && 1_000 / full.cpuSecondsPerThousand
  const found = full
    ? `${full.pagesPerSecond.toFixed(0)} pages/s here, ${perCpuSecond?.toFixed(0)} per CPU second`
    : '-'
  const verdict = verdictOf(full?.pagesPerSecond, value => value >= FULL_PAGES_PER_SECOND)
  return ['everything, generated', target, found, '-', verdict]
}

function find(measured: Measured, corpus: string, crawler: string): Figures | undefined {
  const figures = measured.get(corpus)?.find(figure => figure.crawler === crawler)
  return figures !== undefined && figures.covered > 0 ? figures : undefined
}

function verdictOf(value: number | undefined, isMet: (value: number) => boolean): string {
  if (value === undefined) return 'not measured'
  return isMet(value) ? 'met' : '**missed**'
}

function times(ratio: number | undefined): string {
  return ratio === undefined ? '-' : `${ratio.toFixed(2)}x`
}
