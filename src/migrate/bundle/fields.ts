/** Checks objects that came as JSON from somebody else. */

type Check = (value: unknown) => boolean
export type FieldChecks<T> = { readonly [K in keyof T]-?: Check }

/** Returns the object if it has exactly these fields and each is right; else the reason. */
export function readObject<T extends object>(value: unknown, checks: FieldChecks<T>): T | string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'it is not an object'
  const names = Object.keys(checks)
  for (const name of Object.keys(value)) if (!names.includes(name)) return `it has a field ${shown(name)}`
  for (const name of names) {
    const field: unknown = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined
    if (!checks[name as keyof T](field)) return `its field ${name} is missing or wrong`
  }
  return value as T
}

export function isCount(least: number, most: number): Check {
  return value => typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most
}

/** Text of a bounded length, without control characters. */
export function isText(mostChars: number, pattern = /^[^\p{Cc}]*$/u): Check {
  return value => typeof value === 'string' && value.length <= mostChars && pattern.test(value)
}

export function isListOf(check: Check, most: number): Check {
  return value => Array.isArray(value) && value.length <= most && value.every(check)
}

function shown(name: string): string {
  return JSON.stringify(name.slice(0, 40))
}
