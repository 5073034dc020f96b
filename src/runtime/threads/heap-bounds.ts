/**
 * Adapts the heap of V8 to a crawl. By default, the young generation grows to 32 MB within seconds and the
 * old one to four times what is in use. With 8 MB for the young one a crawl takes no more CPU time that could
 * be measured; the old one may grow to three times what is in use (at one and a half times it was marked
 * every second, which took 2 to 3 % of the time). Limits can be given only on the command line of Node, but
 * V8 reads the growth factor each time it grows a generation: so we fill the young one to the wanted size,
 * and then stop its growth.
 *
 * A young generation of that size is collected by its own thread: waking others for a millisecond's work,
 * thirty times a second, costs 3 % more. Inlining is limited to a third of V8's default: a crawl of half a
 * minute spends a fourteenth of its time on compiling.
 *
 * Flags hold for all threads of the process, so the library does not set them.
 */

import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { YOUNG_BYTES } from '../limits.js'

/** Surviving objects make it grow; a few megabytes of them are enough. */
const MOST_ARRAYS = 10_000
const ARRAY_LENGTH = 256
const FLAGS = [
  '--heap-growing-percent=200',
  '--semi-space-growth-factor=1',
  '--no-parallel-scavenge',
  '--max-inlined-bytecode-size-cumulative=300',
]

let isBounded = false
/** Sizes for the threads that are starting. */
const starting: string[] = []

export function boundHeap(): void {
  const survivors: number[][] = []
  while (youngBytes() < YOUNG_BYTES && survivors.length < MOST_ARRAYS)
    for (let i = 0; i < 32; i++) survivors.push(new Array<number>(ARRAY_LENGTH).fill(i))
  isBounded = true
  keepHeapBounds()
}

/** Sets the flags again: when a thread starts, V8 resets the growth factor for all threads. */
export function keepHeapBounds(): void {
  if (isBounded) for (const flag of FLAGS) setFlagsFromString(flag)
}

/**
 * Until the returned function is called, threads start with a young generation of this size, within their own
 * limit. It could not grow to that later, because growth is off.
 */
export function startWithYoung(megabytes: number): () => void {
  const halves = String(Math.ceil(megabytes / 2))
  starting.push(halves)
  setFlagsFromString(`--min-semi-space-size=${halves}`)
  return () => {
    starting.splice(starting.indexOf(halves), 1)
    setFlagsFromString(`--min-semi-space-size=${starting.at(-1) ?? '0'}`)
  }
}

function youngBytes(): number {
  return getHeapSpaceStatistics().find(space => space.space_name === 'new_space')?.space_size ?? 0
}

/**
 * For a process that ends within a second or so. There V8 spends more time on optimizing our loops than they
 * run. Without inlining and loop peeling, a fast partition takes a fifth less CPU time; one of several
 * seconds takes as long as before.
 */
export function limitCompiler(): void {
  setFlagsFromString('--max-inlined-bytecode-size-cumulative=100')
  setFlagsFromString('--no-turbo-loop-peeling')
}
