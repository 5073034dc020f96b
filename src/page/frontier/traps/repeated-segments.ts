/**
 * Detects `/a/a/a/` and `/a/b/a/b/a/b/`, made by relative links on a page that is served under any path below
 * it.
 */
import { pathStart } from '../../../model/url/index.js'

interface Times {
  /** Repetitions of a sequence of folders in a row. */
  readonly inARow: number
  /** The same for numbers, which map tiles and dates repeat. */
  readonly numbers: number
  /** Occurrences of a name anywhere in the path; source trees repeat project names two or three times. */
  readonly anywhere: number
}

/** Two in a row are normal (`/docs/docs/`); three are not if the page with the link already repeats. */
const STEP: Times = { inARow: 3, numbers: 6, anywhere: 4 }
const ALREADY: Times = { inARow: 2, numbers: 5, anywhere: 3 }
/** Found elsewhere, a link may repeat three times, but hardly five. */
const ALWAYS: Times = { inARow: 5, numbers: 8, anywhere: 6 }

export function repeatsSegments(url: string, via: string): boolean {
  if (!repeats(url, STEP)) return false
  return repeats(via, ALREADY) || repeats(url, ALWAYS)
}

function repeats(url: string, times: Times): boolean {
  const start = pathStart(url) + 1
  // Most paths are too short for a repetition.
  const second = start === 0 ? -1 : url.indexOf('/', start)
  if (second < 0 || (times.inARow > 2 && url.indexOf('/', second + 1) < 0)) return false
  const query = url.indexOf('?')
  const segments = (query < 0 ? url.slice(start) : url.slice(start, query)).split('/')
  if (segments.at(-1) === '') segments.pop()
  if (segments.length < times.inARow) return false
  return repeatsBlock(segments, times) || repeatsAnywhere(segments, times.anywhere)
}

function repeatsBlock(segments: readonly string[], times: Times): boolean {
  for (let length = 1; length * times.inARow <= segments.length; length++) {
    let run = 0
    for (let i = length; i < segments.length; i++) {
      run = segments[i] === segments[i - length] ? run + 1 : 0
      const found = run / length + 1
      if (found < times.inARow) continue
      if (found >= times.numbers || !allNumbers(segments, i - length + 1, i)) return true
    }
  }
  return false
}

function allNumbers(segments: readonly string[], from: number, to: number): boolean {
  for (let i = from; i <= to; i++) if (!/^\d+$/.test(segments[i] ?? '')) return false
  return true
}

function repeatsAnywhere(segments: readonly string[], most: number): boolean {
  if (segments.length < most) return false
  const counts = new Map<string, number>()
  for (const segment of segments) {
    const count = (counts.get(segment) ?? 0) + 1
    if (count >= most && !/^\d*$/.test(segment)) return true
    counts.set(segment, count)
  }
  return false
}
