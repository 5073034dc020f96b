/** The least index below `count` where `holds` is true, or else `count`. From there on it must stay true. */
export function firstIndex(count: number, holds: (index: number) => boolean): number {
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}
