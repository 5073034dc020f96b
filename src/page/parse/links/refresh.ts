/**
 * Delay, separator, `url =` and target. It backtracks at most once over each part, also in a value of 64 KB.
 */
const REFRESH =
  /^[\t\n\f\r ]*[\d.]+(?:[\t\n\f\r ]*[;,][\t\n\f\r ]*|[\t\n\f\r ]+)(url[\t\n\f\r ]*=[\t\n\f\r ]*)?(.*)$/is

/**
 * The target of `<meta http-equiv=refresh content="5; url=next.html">`, by the steps of the HTML standard;
 * null if the value is invalid or only a delay.
 */
export function refreshTarget(content: string): string | null {
  const match = REFRESH.exec(content)
  if (match === null) return null
  const [, url, target = ''] = match
  if (url === undefined && target === '') return null
  const quote = target[0]
  if (quote !== '"' && quote !== "'") return target
  const end = target.indexOf(quote, 1)
  return end < 0 ? target.slice(1) : target.slice(1, end)
}
