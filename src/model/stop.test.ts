import { describe, expect, it } from 'vitest'
import { eitherOf, Stop, type StopSignal } from './stop.js'

describe.each([
  ['a stop', () => new Stop()],
  ['an AbortController, which will do as well', () => new AbortController()],
])('%s', (_name, make) => {
  const made = () => {
    const control: { abort(): void; readonly signal: StopSignal } = make()
    return control
  }

  it('tells everybody who listens, once, in the order they came', () => {
    const { signal, ...control } = withSignal(made())
    const told: string[] = []
    for (const name of ['a', 'b', 'c'])
      signal.addEventListener('abort', () => told.push(name), { once: true })
    expect(signal.aborted).toBe(false)
    control.abort()
    control.abort()
    expect(signal.aborted).toBe(true)
    expect(told).toEqual(['a', 'b', 'c'])
  })

  it('tells nobody who no longer listens, or who comes too late', () => {
    const { signal, ...control } = withSignal(made())
    const told: string[] = []
    const gone = () => told.push('gone')
    signal.addEventListener('abort', gone, { once: true })
    signal.removeEventListener('abort', gone)
    control.abort()
    signal.addEventListener('abort', () => told.push('late'), { once: true })
    expect(told).toEqual([])
  })

  it('is aborted already for those it tells', () => {
    const { signal, ...control } = withSignal(made())
    const seen: boolean[] = []
    signal.addEventListener('abort', () => seen.push(signal.aborted), { once: true })
    control.abort()
    expect(seen).toEqual([true])
  })
})

describe('either of two', () => {
  it('stops with the first of them', () => {
    for (const first of [0, 1]) {
      const two = [new Stop(), new Stop()]
      const { signal } = eitherOf(two[0], two[1])
      expect(signal.aborted).toBe(false)
      two[first].abort()
      expect(signal.aborted).toBe(true)
    }
  })

  it('is stopped where one of them was', () => {
    const old = new Stop()
    old.abort()
    expect(eitherOf(new Stop(), old).signal.aborted).toBe(true)
  })

  it('hears of nothing once it is untied', () => {
    const [one, other] = [new Stop(), new Stop()]
    const { signal, dispose: untie } = eitherOf(one, other)
    untie()
    one.abort()
    other.abort()
    expect(signal.aborted).toBe(false)
  })
})

function withSignal(control: { abort(): void; readonly signal: StopSignal }) {
  return { signal: control.signal, abort: () => control.abort() }
}
