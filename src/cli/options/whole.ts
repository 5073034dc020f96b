/** Readers of flags that are numbers or may be repeated. */
import { InvalidArgumentError } from 'commander'

/** A whole number. */
export function whole(least: number, most = Number.POSITIVE_INFINITY): (value: string) => number {
  const range = rangeOf(least, most)
  return value => {
    const read = numberIn(value)
    if (Number.isInteger(read) && read >= least && read <= most) return read
    throw new InvalidArgumentError(`must be a whole number, ${range}.`)
  }
}

/** Any number in the range. */
export function amount(least: number, most: number): (value: string) => number {
  return value => {
    const read = numberIn(value)
    if (read >= least && read <= most) return read
    throw new InvalidArgumentError(`must be a number, ${rangeOf(least, most)}.`)
  }
}

/** All values of a flag that may be repeated. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value]
}

function numberIn(text: string): number {
  return text.trim() === '' ? Number.NaN : Number(text)
}

function rangeOf(least: number, most: number): string {
  return Number.isFinite(most) ? `from ${least} to ${most}` : `at least ${least}`
}
