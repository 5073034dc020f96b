import { expect, test } from 'vitest'
import { AbortWatch } from './abort-watch.js'

test('a signal ends those that are under way, and only its own', () => {
  const watch = new AbortWatch()
  const ended: string[] = []
  const member = (name: string) => ({ abort: () => void ended.push(name) })
  const [one, two] = [new AbortController(), new AbortController()]
  const [a, b, c] = ['a', 'b', 'c'].map(member)
  watch.add(one.signal, a)
  watch.add(one.signal, b)
  watch.add(two.signal, c)
  watch.remove(one.signal, a)
  one.abort()
  expect(ended).toEqual(['b'])
  watch.remove(one.signal, b)
  watch.abortAll()
  expect(ended).toEqual(['b', 'c'])
})
