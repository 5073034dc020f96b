/**
 * `--include` and `--exclude` as regular expressions that cannot hang a crawl. V8 has a second engine whose
 * time grows with the length of the text only; it takes over where the first one goes back and forth too
 * often. What that engine cannot do (look-around, back-references, large counted repeats) is accepted unless
 * it repeats a repeat.
 */
import { setFlagsFromString } from 'node:v8'

let isReady = false

/** The expression, or one line that says what is wrong with it. */
export function compilePattern(source: string): RegExp | string {
  if (!isReady) {
    setFlagsFromString('--enable-experimental-regexp-engine')
    setFlagsFromString('--enable-experimental-regexp-engine-on-excessive-backtracks')
    setFlagsFromString('--regexp-backtracks-before-fallback=20000')
    isReady = true
  }
  let pattern: RegExp
  try {
    pattern = new RegExp(source)
  } catch {
    return `"${source}" is not a regular expression`
  }
  if (isLinear(source) || !repeatsRepeat(source)) return pattern
  return `"${source}" could take forever on some URLs: it repeats a group that repeats something itself`
}

function isLinear(source: string): boolean {
  try {
    new RegExp(source, 'l')
    return true
  } catch {
    return false
  }
}

/** A group with a quantifier or an alternative in it, and a quantifier behind it. */
function repeatsRepeat(source: string): boolean {
  const open: boolean[] = [false]
  const text = source.replace(/\\./gs, 'x').replace(/\[[^\]]*\]/g, 'x')
  for (let i = 0; i < text.length; i++) {
    const c = text.charAt(i)
    if (c === '(') open.push(false)
    else if (c === ')') {
      const varies = open.pop() ?? false
      const isRepeated = /^(?:[*+]|\{\d+,?\d*\})/.test(text.slice(i + 1))
      if (varies && isRepeated) return true
      if (varies || isRepeated) open[open.length - 1] = true
    } else if (/[*+|]/.test(c) || (c === '{' && /^\{\d+,/.test(text.slice(i)))) open[open.length - 1] = true
  }
  return false
}
