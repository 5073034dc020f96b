/** Parquet's RLE / bit-packed hybrid: for definition levels (one bit) and for places in a dictionary. */
import type { ByteSink } from '../../bytes/index.js'
import { appendVarint } from './thrift.js'

/** Runs shorter than this are cheaper bit-packed, eight values at a time. */
const RUN = 8

/** Bits needed for every value up to `max`. */
export function bitWidth(max: number): number {
  return 32 - Math.clz32(max)
}

export function appendHybrid(sink: ByteSink, values: ArrayLike<number>, count: number, width: number): void {
  let at = 0
  while (at < count) {
    const run = runLength(values, at, count, count)
    if (run >= RUN) {
      appendVarint(sink, run * 2)
      for (let bits = 0; bits < width; bits += 8) sink.byte((values[at] >>> bits) & 255)
      at += run
      continue
    }
    let end = at + RUN
    while (end < count && runLength(values, end, count, RUN) < RUN) end += RUN
    // Only the last group of all may be short: readers know the count and stop there.
    appendPacked(sink, values, at, Math.min(end, count), width)
    at = end
  }
}

function runLength(values: ArrayLike<number>, at: number, count: number, enough: number): number {
  const end = Math.min(count, at + enough)
  let next = at + 1
  while (next < end && values[next] === values[at]) next++
  return next - at
}

function appendPacked(
  sink: ByteSink,
  values: ArrayLike<number>,
  from: number,
  to: number,
  width: number,
): void {
  const groups = Math.ceil((to - from) / RUN)
  appendVarint(sink, groups * 2 + 1)
  const bytes = sink.reserve(groups * width)
  let at = sink.length
  let pending = 0
  let bits = 0
  for (let i = from; i < from + groups * RUN; i++) {
    if (i < to) pending |= values[i] << bits
    bits += width
    while (bits >= 8) {
      bytes[at++] = pending & 255
      pending >>>= 8
      bits -= 8
    }
  }
  sink.advance(groups * width)
}
