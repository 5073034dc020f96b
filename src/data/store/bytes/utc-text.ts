/** Times in UTC as archives write them. The last second is cached, as thousands of pages share one. */

let lastSecond = Number.NaN
/** `2026-01-02T03:04:05.` */
let upToSecond = ''
/** `20260102030405` */
let digits = ''

/** ISO 8601 with milliseconds, which WARC 1.1 allows. */
export function warcDate(millis: number): string {
  const second = takeSecond(millis)
  return `${upToSecond}${String(Math.trunc(millis) - second * 1_000).padStart(3, '0')}Z`
}

/** Fourteen digits, as in CDXJ. */
export function timestamp(millis: number): string {
  takeSecond(millis)
  return digits
}

function takeSecond(millis: number): number {
  const second = Math.floor(millis / 1_000)
  if (second !== lastSecond) {
    lastSecond = second
    upToSecond = new Date(millis).toISOString().slice(0, -4)
    digits = upToSecond.replaceAll(/[^0-9]/g, '')
  }
  return second
}
