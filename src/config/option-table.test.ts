import { describe, expect, it } from 'vitest'
import { FIELDS } from './option-table.js'

const settings = Object.entries(FIELDS)

describe('the table of options', () => {
  it.each(settings)('%s: the default that the help shows is the default that is used', (key, field) => {
    const unset = field.read(undefined, key)
    const isShown = unset !== undefined && unset !== false && !(Array.isArray(unset) && unset.length === 0)
    if (isShown) expect(field.read(field.fallback, key)).toEqual(unset)
  })

  it.each(settings)('%s: the help is one plain sentence', (_key, { help }) => {
    expect(help).not.toMatch(/^[A-Z]|\.$|\(default/)
    expect(help.length).toBeLessThan(260)
  })
})
