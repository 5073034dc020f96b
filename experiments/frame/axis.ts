/** Maps values to places on an axis, and chooses its ticks. */
export interface Axis {
  readonly ticks: readonly number[]
  at(value: number): number
}

const MOST_TICKS = 7

/** `from` and `to` are the coordinates of the ends. */
export function axisOf(values: readonly number[], scale: 'linear' | 'log', from: number, to: number): Axis {
  const distinct = [...new Set(values)].sort((a, b) => a - b)
  const low = distinct[0] ?? 0
  const high = distinct.at(-1) ?? 1
  return scale === 'log' ? logAxis(distinct, low, high, from, to) : linearAxis(low, high, from, to)
}

function linearAxis(low: number, high: number, from: number, to: number): Axis {
  const step = stepOf((high - low || 1) / (MOST_TICKS - 1))
  const first = Math.floor(low / step)
  const last = Math.max(Math.ceil(high / step), first + 1)
  const ticks = Array.from({ length: last - first + 1 }, (_, i) =>
    Number(((first + i) * step).toPrecision(12)),
  )
  const at = (value: number) => from + ((value / step - first) / (last - first)) * (to - from)
  return { ticks, at }
}

/** 1, 2 or 5 times a power of ten. */
function stepOf(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least))
  return power * ([1, 2, 5].find(times => times * power >= least) ?? 10)
}

/**
 * The ticks are the values themselves if they are few (K = 4, 8, 16 …), else powers of ten, with 2 and 5 if
 * few.
 */
function logAxis(distinct: readonly number[], low: number, high: number, from: number, to: number): Axis {
  const isFew = distinct.length <= MOST_TICKS && distinct.every(Number.isInteger)
  const ticks = isFew ? distinct : decades(low, high)
  const [bottom, top] = [Math.min(low, ticks[0]), Math.max(high, ticks[ticks.length - 1])]
  const span = Math.log(top / bottom) || 1
  return { ticks, at: value => from + (Math.log(value / bottom) / span) * (to - from) }
}

function decades(low: number, high: number): number[] {
  const first = Math.floor(Math.log10(low))
  const last = Math.ceil(Math.log10(high))
  const steps = last - first <= 2 ? [1, 2, 5] : [1]
  const ticks: number[] = []
  for (let power = first; power <= last; power++)
    for (const step of steps) ticks.push(Number((step * 10 ** power).toPrecision(6)))
  const from = ticks.findLastIndex(tick => tick <= low)
  const to = ticks.findIndex(tick => tick >= high)
  return ticks.slice(Math.max(0, from), to === -1 ? undefined : to + 1)
}

/** Writes 12000 as 12k. */
export function tickText(value: number): string {
  if (Math.abs(value) >= 1e6) return `${Number((value / 1e6).toPrecision(4))}M`
  if (Math.abs(value) >= 1e4) return `${Number((value / 1e3).toPrecision(4))}k`
  return `${Number(value.toPrecision(4))}`
}
