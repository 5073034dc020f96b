/** `/a/a/a/`, `/a/b/a/b/a/b/`: what relative links make of a page that answers below itself. */
import { pathStart } from '../../model/url.js'

/** Two in a row are honest (`/docs/docs/`), three are not. */
const IN_A_ROW = 3
/** Map tiles and dates repeat numbers. */
const NUMBERS_IN_A_ROW = 6
/** Anywhere in the path; source trees repeat the names of their projects two or three times. */
const ANYWHERE = 4

export function repeatsSegments(url: string): boolean {
  const start = pathStart(url) + 1
  // Most paths are too short to repeat anything.
  const second = url.indexOf('/', start)
  if (second < 0 || url.indexOf('/', second + 1) < 0) return false
  const query = url.indexOf('?')
  const segments = (query < 0 ? url.slice(start) : url.slice(start, query)).split('/')
  if (segments.at(-1) === '') segments.pop()
  return segments.length >= IN_A_ROW && (repeatsBlock(segments) || repeatsAnywhere(segments))
}

function repeatsBlock(segments: readonly string[]): boolean {
  for (let length = 1; length * IN_A_ROW <= segments.length; length++) {
    let run = 0
    for (let i = length; i < segments.length; i++) {
      run = segments[i] === segments[i - length] ? run + 1 : 0
      const times = run / length + 1
      if (times < IN_A_ROW) continue
      if (times >= NUMBERS_IN_A_ROW || !allNumbers(segments, i - length + 1, i)) return true
    }
  }
  return false
}

function allNumbers(segments: readonly string[], from: number, to: number): boolean {
  for (let i = from; i <= to; i++) if (!/^\d+$/.test(segments[i] ?? '')) return false
  return true
}

function repeatsAnywhere(segments: readonly string[]): boolean {
  if (segments.length < ANYWHERE) return false
  const counts = new Map<string, number>()
  for (const segment of segments) {
    const count = (counts.get(segment) ?? 0) + 1
    if (count >= ANYWHERE && !/^\d*$/.test(segment)) return true
    counts.set(segment, count)
  }
  return false
}
