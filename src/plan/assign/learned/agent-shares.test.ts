import { describe, expect, it } from 'vitest'
import { type AgentAbility, sharesOf } from './agent-shares.js'

function able(name: string, more: Partial<AgentAbility> = {}): AgentAbility {
  return { name, lanes: 100, speed: 200, room: 1, ...more }
}

describe('parts are as large as their agents are able', () => {
  it('equal where nothing is known of them', () => {
    expect(sharesOf(['agent-1', 'agent-2', 'b:1'], [])).toEqual([1, 1, 1])
    expect(sharesOf(['agent-1', 'b:1'], [able('elsewhere:1', { speed: 9 })])).toEqual([1, 1])
  })

  it('equal on one machine, and on machines that are about alike', () => {
    const known = [able('agent-1', { speed: 900 }), able('agent-2'), able('b:3', { speed: 300 })]
    expect(sharesOf(['agent-1', 'agent-2'], known)).toEqual([1, 1])
    expect(sharesOf(['agent-1', 'b:3', 'b:4'], known)).toEqual([1, 1, 1])
  })

  it('by speed, by lanes, by memory and disk: the scarcest decides', () => {
    const known = [
      able('agent-1'),
      able('slow:1', { speed: 50 }),
      able('narrow:1', { lanes: 20 }),
      able('full:1', { room: 0.5, lanes: 40 }),
    ]
    expect(sharesOf(['agent-1', 'slow:9', 'narrow:9', 'full:9'], known)).toEqual([1, 0.25, 0.2, 0.4])
  })

  it('like the others on average where one is not known', () => {
    const known = [able('a:1'), able('b:1', { speed: 50 })]
    expect(sharesOf(['a:2', 'new:2', 'b:2'], known)).toEqual([1, 0.63, 0.25])
  })

  it('never next to nothing', () => {
    expect(
      sharesOf(['a:1', 'b:1'], [able('a:1', { speed: 10_000 }), able('b:1', { speed: 1 })])[1],
    ).toBeGreaterThan(0.05)
  })
})
