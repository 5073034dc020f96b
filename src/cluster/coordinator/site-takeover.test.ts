import { describe, expect, it } from 'vitest'
import { ManualClock } from '../../../test/kit/manual-clock.js'
import type { BusMessage } from '../../bus/index.js'
import type { AgentLoad } from './agent-registry.js'
import { SiteTakeover } from './site-takeover.js'

const BEAT = 1_000

const agent = (incarnation: number, busySites: number, over: Partial<AgentLoad> = {}): AgentLoad => ({
  incarnation,
  heartbeat: 0,
  lanes: 1_000,
  freeLanes: 900,
  busySites,
  workLeft: busySites,
  spareGroups: busySites,
  hasReported: true,
  ...over,
})

/** What is asked of whom when agents say this with every beat. */
function asked(beats: number, ...agents: readonly AgentLoad[]): [to: number, groups: number][] {
  return askedBy(beats, beat => agents.map(each => ({ ...each, heartbeat: beat })))
}

function askedBy(beats: number, said: (beat: number) => AgentLoad[]): [to: number, groups: number][] {
  const clock = new ManualClock()
  const sent: BusMessage[] = []
  const takeover = new SiteTakeover(clock, { send: message => sent.push(message), subscribe: () => () => {} })
  for (let beat = 0; beat < beats; beat++) {
    takeover.look(said(beat))
    clock.advance(BEAT)
  }
  return sent.flatMap(message => (message.kind === 'spare' ? [[message.to, message.groups]] : []))
}

describe('what is asked of others when an agent has run dry', () => {
  it('is what they have more than their share, of each of them', () => {
    expect(asked(2, agent(1, 20), agent(2, 0))).toEqual([[1, 10]])
    expect(asked(2, agent(1, 20), agent(2, 10), agent(3, 0))).toEqual([[1, 10]])
    expect(asked(2, agent(1, 30), agent(2, 30), agent(3, 0))).toEqual([
      [1, 10],
      [2, 10],
    ])
  })

  it('is nothing before it was dry for two beats, and nothing again during a pause', () => {
    expect(asked(1, agent(1, 20), agent(2, 0))).toEqual([])
    expect(asked(6, agent(1, 20), agent(2, 0))).toHaveLength(1)
    expect(asked(7, agent(1, 20), agent(2, 0))).toHaveLength(2)
  })

  it('is nothing when the same heartbeat is seen again: its agent may have been given sites since', () => {
    expect(askedBy(9, () => [agent(1, 20), agent(2, 0)])).toEqual([])
    expect(askedBy(9, beat => [agent(1, 20), agent(2, 20 * (beat % 2), { heartbeat: beat })])).toEqual([])
  })

  it('is nothing while all have about their share', () => {
    expect(asked(9, agent(1, 20), agent(2, 20))).toEqual([])
    expect(asked(9, agent(1, 20), agent(2, 11))).toEqual([])
    expect(asked(9, agent(1, 1), agent(2, 0))).toEqual([])
    expect(asked(9, agent(1, 0), agent(2, 0))).toEqual([])
  })

  it('goes by lanes: an agent with a tenth of them has a tenth of the sites', () => {
    const small = { lanes: 100, freeLanes: 90 }
    expect(asked(9, agent(1, 90), agent(2, 9, small))).toEqual([])
    expect(asked(2, agent(1, 99), agent(2, 0, small))).toEqual([[1, 9]])
  })

  it('is nothing for an agent that takes no more, and no more than others can spare', () => {
    expect(asked(9, agent(1, 20), agent(2, 0, { freeLanes: 0 }))).toEqual([])
    expect(asked(2, agent(1, 20, { spareGroups: 3 }), agent(2, 0))).toEqual([[1, 3]])
    expect(asked(9, agent(1, 20, { spareGroups: 0 }), agent(2, 0))).toEqual([])
  })

  it('is nothing of an agent that has no surplus itself, however much it could spare', () => {
    expect(asked(2, agent(1, 40), agent(2, 10), agent(3, 1))).toEqual([[1, 23]])
  })
})
