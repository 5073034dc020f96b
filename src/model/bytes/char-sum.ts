/** KSpider's hash: the sum of all characters without the mark (equations 1 to 3 of its paper). */
export function charSum(text: string): number {
  let sum = 0
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit === MARK) break
    sum += unit
  }
  return sum
}

/** `#` */
const MARK = 0x23
