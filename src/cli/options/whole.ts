import { InvalidArgumentError } from 'commander'

/** Reads the value of a flag that is a whole number. */
export function whole(least: number): (value: string) => number {
  return value => {
    const read = Number(value)
    if (Number.isInteger(read) && read >= least && value.trim() !== '') return read
    throw new InvalidArgumentError(`must be a whole number, at least ${least}.`)
  }
}
