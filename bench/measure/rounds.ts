import { type Corpus, pagesOf, seedsOf } from '../corpus/corpus.js'
import type { Crawler } from '../peers/crawlers.js'
import { coverageOf, type PageServer } from '../server/page-server.js'
import { runMeasured } from './measured-child.js'

/** What one crawler did on one corpus; medians where there were several rounds. */
export interface Figures {
  readonly crawler: string
  readonly version: string
  readonly covered: number
  readonly expected: number
  readonly requests: number
  readonly cpuSecondsPerThousand: number
  /** The same of each round. */
  readonly roundsCpu: readonly number[]
  readonly pagesPerSecond: number
  readonly peakRssBytes: number
}

const DEADLINE_SECONDS = 300

/**
 * One round each, then the next round: what disturbs the machine for a while disturbs all alike. Those that
 * take minutes have one round only.
 */
export async function interleaved(
  server: PageServer,
  corpus: Corpus,
  crawlers: readonly Crawler[],
  rounds: number,
): Promise<Figures[]> {
  const runs = new Map<Crawler, Figures[]>(crawlers.map(crawler => [crawler, []]))
  for (let round = 1; round <= rounds; round++) {
    for (const crawler of crawlers.filter(each => round === 1 || !each.takesMinutes)) {
      const figures = await runOnce(server, corpus, crawler)
      console.error(`${corpus.name}, round ${round} of ${rounds}: ${oneLine(figures)}`)
      runs.get(crawler)?.push(figures)
    }
  }
  return crawlers.map(crawler => medians(runs.get(crawler) ?? []))
}

async function runOnce(server: PageServer, corpus: Corpus, crawler: Crawler): Promise<Figures> {
  await server.forgetRequests()
  const usage = await runMeasured(crawler.command(seedsOf(corpus)), DEADLINE_SECONDS)
  const { covered, requests } = coverageOf(corpus, await server.requests())
  if (covered === 0) {
    console.error(`${crawler.name} covered nothing, exit code ${usage.exitCode}: ${usage.stderr.slice(-500)}`)
  }
  const cpuSecondsPerThousand = (usage.cpuSeconds / covered) * 1_000
  return {
    crawler: crawler.name,
    version: crawler.version() ?? '',
    covered,
    expected: pagesOf(corpus),
    requests,
    cpuSecondsPerThousand,
    roundsCpu: [cpuSecondsPerThousand],
    pagesPerSecond: covered / usage.wallSeconds,
    peakRssBytes: usage.peakRssBytes,
  }
}

function medians(runs: readonly Figures[]): Figures {
  const of = (pick: (figures: Figures) => number): number => {
    const sorted = runs.map(pick).toSorted((a, b) => a - b)
    return sorted[Math.floor(sorted.length / 2)]
  }
  return {
    ...runs[0],
    covered: of(run => run.covered),
    requests: of(run => run.requests),
    cpuSecondsPerThousand: of(run => run.cpuSecondsPerThousand),
    roundsCpu: runs.flatMap(run => run.roundsCpu),
    pagesPerSecond: of(run => run.pagesPerSecond),
    peakRssBytes: of(run => run.peakRssBytes),
  }
}

function oneLine({ crawler, covered, expected, cpuSecondsPerThousand, pagesPerSecond }: Figures): string {
  const cost = `${cpuSecondsPerThousand.toFixed(3)} CPU s per 1,000, ${pagesPerSecond.toFixed(0)} pages/s`
  return `${crawler}: ${covered} of ${expected} pages, ${cost}`
}
