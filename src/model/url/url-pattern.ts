/**
 * `--include` and `--exclude` as regular expressions that cannot hang a crawl. V8 has a second engine that
 * runs in linear time; it takes over after too many backtracks. Patterns that it does not support
 * (look-around, back-references, large counted repeats) are accepted unless they repeat a group that itself
 * repeats.
 */
import { setFlagsFromString } from 'node:v8'

let isReady = false

/** The expression, or one line about the error. */
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

/** Whether a group that contains a quantifier or an alternative has a quantifier itself. */
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
