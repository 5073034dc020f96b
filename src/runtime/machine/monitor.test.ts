import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ManualClock } from '../../../test/kit/manual-clock.js'
import { type NetworkCounters, readNetworkCounters } from './machine-gauges.js'
import { Monitor } from './monitor.js'

/** A machine with nothing to do, but for what is said; the second look is the one that counts. */
function looked(
  over: Partial<{ busy: number; memory: number; disk: number; allowed: number; received: number }>,
  lines: readonly (NetworkCounters | null)[] = [null, null],
) {
  const clock = new ManualClock()
  const { busy = 0, memory = 0.5, disk = 0.5, allowed = 0, received = 0 } = over
  let looks = 0
  let bytes = 0
  const monitor = new Monitor({
    lanes: 100,
    clock,
    gauges: {
      busyShare: () => busy,
      memoryFree: () => memory,
      diskFree: () => disk,
      line: () => lines[looks++],
    },
    receivedBytes: () => bytes,
    allowedBytes: () => allowed,
  })
  monitor.load()
  bytes = received
  clock.advance(2_000)
  return monitor.capacity()
}

describe('what an agent has left of its machine', () => {
  it('is all of it where nothing is scarce', () => {
    expect(looked({})).toMatchObject({ lanes: 100, capacity: 1 })
  })

  it('is less, and so are the lanes it wants, when CPU, memory, disk or bandwidth run out: each alone', () => {
    const line = (bytes: number) => ({ bytes, bytesPerSecond: 1_000_000 })
    const cases = [
      looked({ busy: 0.99 }),
      looked({ memory: 0.005 }),
      looked({ disk: 0.0025 }),
      looked({ allowed: 10_000, received: 19_900 }),
      looked({}, [line(0), line(1_980_000)]),
    ]
    for (const { lanes, capacity } of cases) {
      expect(lanes).toBeLessThanOrEqual(30)
      expect(lanes).toBeGreaterThanOrEqual(25)
      expect(capacity).toBeLessThan(0.06)
    }
  })

  it('says what it receives, and what of the bandwidth is free: of the limit or of the line, the scarcer', () => {
    const lines = [0, 400_000].map(bytes => ({ bytes, bytesPerSecond: 1_000_000 }))
    expect(looked({ received: 4_000 }).load).toMatchObject({ bytesPerSecond: 2_000, bandwidthFree: null })
    expect(looked({ received: 4_000, allowed: 8_000 }).load).toMatchObject({ bandwidthFree: 0.75 })
    expect(looked({ received: 4_000, allowed: 8_000 }, lines).load).toMatchObject({ bandwidthFree: 0.75 })
    expect(looked({ received: 4_000 }, lines).load).toMatchObject({ bandwidthFree: 0.8 })
  })

  it('is measured once a second, however often it is asked for', () => {
    const clock = new ManualClock()
    let looks = 0
    const monitor = new Monitor({
      lanes: 1,
      clock,
      gauges: {
        busyShare: () => 0,
        memoryFree: () => 1,
        diskFree: () => ++looks / 10,
        line: () => null,
      },
      receivedBytes: () => 0,
      allowedBytes: () => 0,
    })
    monitor.load()
    for (let i = 0; i < 30; i++) {
      clock.advance(100)
      monitor.capacity()
    }
    expect(looks).toBe(3)
  })
})

it('the line is what all interfaces with a known speed carry, loopback apart', () => {
  const root = mkdtempSync(join(tmpdir(), 'orbweaver-line-'))
  const add = (name: string, speed: string, received: string) => {
    const folder = join(root, 'sys/class/net', name, 'statistics')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, '..', 'speed'), speed)
    writeFileSync(join(folder, 'rx_bytes'), received)
  }
  expect(readNetworkCounters(root)).toBeNull()
  add('lo', '1000\n', '5\n')
  add('eth0', '-1\n', '7\n')
  expect(readNetworkCounters(root)).toBeNull()
  add('eth1', '1000\n', '100\n')
  add('eth2', '8\n', '20\n')
  expect(readNetworkCounters(root)).toEqual({ bytes: 120, bytesPerSecond: 126_000_000 })
})
