/** KSpider's hash: the sum of all characters (equations 1 to 3 of its paper). */
export function charSum(text: string): number {
  let sum = 0
  for (let i = 0; i < text.length; i++) sum += text.charCodeAt(i)
  return sum
}
