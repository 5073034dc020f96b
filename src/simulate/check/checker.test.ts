/** What the checker sees, and what it must not mistake for a violation. */
import { expect, it } from 'vitest'
import type { FileRow } from '../../ledger/index.js'
import type { OutcomeCode } from '../../model/index.js'
import { Machine } from '../machines/machine.js'
import { VirtualTime } from '../machines/virtual-time.js'
import { Disk } from '../ports/disk.js'
import { VirtualWeb } from '../ports/virtual-web.js'
import { Checker } from './checker.js'
import { History } from './history.js'

function watch(delayMs: number) {
  const time = new VirtualTime()
  const history = new History(time, true)
  const web = new VirtualWeb({ seed: 1, sites: 20, pages: 60 })
  const checker = new Checker({ web, delayMs, time, history })
  return { checker, one: new Machine('one', time), two: new Machine('two', time) }
}

const fileOf = (name: string, bytes: number): FileRow => ({
  name,
  kind: 'pages-log',
  bytes,
  crc32: null,
  incarnation: 1,
  closed: true,
})

it('overlap is what the disks hold twice, per stored URL, and each such URL breaks P3', () => {
  const { checker } = watch(500)
  const disk = new Disk()
  const put = (name: string, ...paths: string[]) => {
    const rows = paths.map(path => ({ url: `http://s1.test${path}`, outcome: 'OK' as OutcomeCode }))
    disk.append(disk.create(name, 1), 0, 100, rows)
  }
  put('a', '/', '/p/1', '/p/2')
  put('b', '/p/1', '/p/2', '/p/3')
  put('c', '/p/1')
  checker.settle(
    ['a', 'b', 'c'].map(name => fileOf(name, 100)),
    disk,
    '',
    [],
  )
  // Seven rows of four URLs.
  expect(checker.overlap).toBe(3 / 4)
  const twice = checker.violations.filter(({ promise }) => promise === 'P3').map(({ what }) => what)
  expect(twice).toEqual(['http://s1.test/p/1 is stored 3 times', 'http://s1.test/p/2 is stored 2 times'])
})

it('bytes past the committed length are no copies', () => {
  const { checker } = watch(500)
  const disk = new Disk()
  const file = disk.create('a', 1)
  disk.append(file, 0, 100, [{ url: 'http://s1.test/', outcome: 'OK' }])
  disk.append(file, 100, 200, [{ url: 'http://s1.test/', outcome: 'OK' }])
  checker.settle([fileOf('a', 100)], disk, '', [])
  expect(checker.overlap).toBe(0)
})

it('without a delay two sites of one domain may be asked at once by one agent, one site may not', () => {
  const { checker, one } = watch(0)
  checker.requested(one, 'http://s5.test/')
  checker.requested(one, 'http://www.s5.test/')
  expect(checker.violations).toEqual([])
  checker.requested(one, 'http://s5.test/p/1')
  expect(checker.violations).toMatchObject([{ promise: 'P5' }])
})

it('two agents at one domain break P5, with and without a delay', () => {
  for (const delayMs of [0, 500]) {
    const { checker, one, two } = watch(delayMs)
    checker.requested(one, 'http://s5.test/')
    checker.requested(two, 'http://www.s5.test/')
    expect(checker.violations).toMatchObject([{ promise: 'P5' }])
  }
})

it('with a delay two sites of one domain share it', () => {
  const { checker, one } = watch(500)
  checker.answered(checker.requested(one, 'http://s5.test/'))
  checker.requested(one, 'http://www.s5.test/')
  expect(checker.violations).toMatchObject([{ promise: 'P5' }])
})
