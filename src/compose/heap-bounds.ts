/**
 * Fits V8 to a crawl. Left alone, it lets the young generation grow to 32 MB within seconds and the old one
 * to four times what is in use; a quarter of the one costs a crawl no CPU time that could be measured, the
 * old one may grow to three times what is in use: at half as much again it was marked every second, which
 * took two to three per cent. Limits can be given only on the command line of Node, but how fast a generation
 * grows is asked anew each time: so the young one is grown to the size it is to have, and then no more.
 *
 * A young generation that small is collected by the thread that filled it: to wake others for a millisecond's
 * work, thirty times a second, takes three per cent more. And functions are built into their callers to a
 * third of what V8 would: a crawl of half a minute spends a fourteenth of its time on compiling.
 *
 * For our own process only: flags are one for all threads.
 */
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** Both halves of the young generation together. */
const YOUNG_BYTES = 8 * 1024 * 1024
/** What makes it grow is what survives: a few megabytes of it are enough, whatever V8 thinks of them. */
const MOST_ARRAYS = 10_000
const ARRAY_LENGTH = 256
const FLAGS = [
  '--heap-growing-percent=200',
  '--semi-space-growth-factor=1',
  '--no-parallel-scavenge',
  '--max-inlined-bytecode-size-cumulative=300',
]

let isBounded = false
/** Of the threads that are starting. */
const starting: string[] = []

export function boundHeap(): void {
  const survivors: number[][] = []
  while (youngBytes() < YOUNG_BYTES && survivors.length < MOST_ARRAYS)
    for (let i = 0; i < 32; i++) survivors.push(new Array<number>(ARRAY_LENGTH).fill(i))
  isBounded = true
  keepHeapBounds()
}

/** While a thread starts: V8 then sets the young generation to grow at least twofold, for all threads. */
export function keepHeapBounds(): void {
  if (isBounded) for (const flag of FLAGS) setFlagsFromString(flag)
}

/**
 * Threads that start from now on, until the returned function is called, have a young generation of this size
 * at once, as far as their own limit allows it: it could not grow to that later, because none grows.
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
