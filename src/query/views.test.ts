import { expect, it } from 'vitest'
import { outcomeRule } from '../model/outcome.js'
import { FETCHED, REFUSED } from './views.js'

it('sorts outcomes into fetched and refused as the crawler does', () => {
  for (const code of FETCHED) expect(outcomeRule(code).kind, code).toBe('stored')
  for (const code of REFUSED) expect(outcomeRule(code).kind, code).toBe('refused')
})
