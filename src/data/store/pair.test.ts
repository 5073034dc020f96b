import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { DamageError } from '../../files/index.js'
import {
  checkPair,
  GENERATIONS_FILE,
  GENERATIONS_SETTING,
  PairError,
  readGenerations,
  relationOf,
  withGeneration,
  writeGenerations,
} from './pair.js'

const store = (generations: readonly string[], next: string | null = null) => ({ generations, next })

describe('a directory and a ledger', () => {
  it('belong together by their last generation, also between the three steps of a new one', () => {
    expect(relationOf(store([]), [])).toBe('same')
    expect(relationOf(store([], 'a'), [])).toBe('same')
    expect(relationOf(store([], 'a'), ['a'])).toBe('same')
    expect(relationOf(store(['a']), ['a'])).toBe('same')
    expect(relationOf(store(['a'], 'b'), ['a'])).toBe('same')
    expect(relationOf(store(['a'], 'b'), ['a', 'b'])).toBe('same')
  })

  it('do not once either has gone on, and the chains tell which one is older', () => {
    expect(relationOf(store(['a', 'b']), ['a'])).toBe('ledger-older')
    expect(relationOf(store(['a']), ['a', 'b'])).toBe('store-older')
    expect(relationOf(store(['a', 'b']), ['a', 'c'])).toBe('apart')
    expect(relationOf(store(['a']), ['c'])).toBe('strangers')
    expect(relationOf(store([]), ['a'])).toBe('strangers')
    expect(relationOf(store(['a']), [])).toBe('strangers')
    expect(relationOf(store(['a', 'b'], 'c'), ['a'])).toBe('ledger-older')
  })

  it('keep a chain of bounded length', () => {
    let chain: readonly string[] = []
    for (let run = 0; run < 500; run++) chain = withGeneration(chain, `g${run}`)
    expect(chain).toHaveLength(100)
    expect(chain.at(-1)).toBe('g499')
  })
})

describe('generations.json', () => {
  const directory = mkdtempSync(join(tmpdir(), 'orb-pair-'))
  afterEach(() => rmSync(join(directory, GENERATIONS_FILE), { force: true }))

  it('comes back as it was written, and is empty where there is none', () => {
    expect(readGenerations(directory)).toEqual(store([]))
    writeGenerations(directory, store(['a', 'b'], 'c'))
    expect(readGenerations(directory)).toEqual(store(['a', 'b'], 'c'))
  })

  it('that is not what we write is damage, never a pair', () => {
    for (const text of [
      '',
      '{',
      '[]',
      'null',
      '{"generations":"a","next":null}',
      '{"generations":[1],"next":null}',
    ]) {
      writeFileSync(join(directory, GENERATIONS_FILE), text)
      expect(() => readGenerations(directory)).toThrow(DamageError)
    }
  })

  it('refuses a ledger that it does not belong to in one line', async () => {
    writeGenerations(directory, store(['a', 'b']))
    const check = (chain: string) =>
      checkPair(directory, 'the ledger', async () => ({ [GENERATIONS_SETTING]: chain }))
    await check('["a","b"]')
    for (const chain of ['["a"]', '["a","b","c"]', '["a","c"]', '["x"]', '[]', 'damaged', '7'])
      await expect(check(chain)).rejects.toThrow(PairError)
    await expect(check('[]')).rejects.toThrow(/^[^\n]+does not belong to[^\n]+$/)
  })

  it('is read before and after the ledger: a run that begins meanwhile is no mismatch', async () => {
    writeGenerations(directory, store(['a']))
    const confirmed = async (chain: string) => {
      writeGenerations(directory, store(['a', 'b']))
      return { [GENERATIONS_SETTING]: chain }
    }
    await checkPair(directory, 'the ledger', () => confirmed('["a"]'))
    writeGenerations(directory, store(['a']))
    await checkPair(directory, 'the ledger', () => confirmed('["a","b"]'))
    await expect(checkPair(directory, 'the ledger', () => confirmed('["a"]'))).rejects.toThrow(PairError)
  })
})
