/** The parent's side of a sandbox, with a child that the test plays. */
import { expect, it } from 'vitest'
import { ManualClock } from '../../../test/kit/manual-clock.js'
import { FrameReader, frameOf } from './frames.js'
import { Sandbox } from './sandbox.js'
import type { ChildUsage, SandboxAnswer, SandboxChild } from './sandbox-child.js'

const LIMITS = {
  cpuMs: 1_000,
  wallMs: 1_500,
  silentMs: 10_000,
  waitMs: 30_000,
  rssBytes: 1_000,
  answerBytes: 100,
}

/** Answers each task with itself, but for those that the test holds back. */
class Echo implements SandboxChild {
  readonly tasks: string[] = []
  use: ChildUsage | null = { cpuMs: 0, rssBytes: 10 }
  isKilled = false
  end!: (detail: string) => void
  say!: (bytes: Buffer) => void
  readonly #reader = new FrameReader(1e6)
  readonly #holds: (task: string) => boolean

  constructor(holds: (task: string) => boolean) {
    this.#holds = holds
  }

  write(bytes: Buffer): void {
    this.#reader.push(bytes)
    for (let frame = this.#reader.next(); frame !== null; frame = this.#reader.next()) {
      const task = frame.toString()
      this.tasks.push(task)
      if (this.tasks.some(this.#holds)) continue
      this.say(frameOf(Buffer.from(`did ${task}`)))
    }
  }

  listen(onBytes: (bytes: Buffer) => void, onEnd: (detail: string) => void): void {
    this.say = onBytes
    this.end = onEnd
  }

  usage(): ChildUsage | null {
    return this.use
  }

  kill(): void {
    this.isKilled = true
  }
}

function sandboxOf(holds: (task: string) => boolean) {
  const clock = new ManualClock()
  const children: Echo[] = []
  const start = () => {
    const child = new Echo(holds)
    children.push(child)
    return child
  }
  const opened: boolean[] = []
  const sandbox = new Sandbox({
    clock,
    limits: LIMITS,
    start,
    opening: () => Buffer.from('open'),
    onOpened: ({ ok }) => opened.push(ok),
  })
  const ask = (task: string) => sandbox.ask(Buffer.from(task)).then(shown)
  return { clock, children, opened, sandbox, ask }
}

/** Frames are written after the other work of a turn. */
const turn = () => new Promise(resolve => setImmediate(resolve))

const shown = (answer: SandboxAnswer) => (answer.ok ? answer.bytes.toString() : answer.why)

it('a child is opened first, and answers its tasks in order', async () => {
  const { children, opened, ask } = sandboxOf(() => false)
  const answers = Promise.all(['a', 'b', 'c'].map(ask))
  expect(await answers).toEqual(['did a', 'did b', 'did c'])
  expect(children.map(({ tasks }) => tasks)).toEqual([['open', 'a', 'b', 'c']])
  expect(opened).toEqual([true])
})

it('a task that uses too much CPU time fails alone: another child gets those behind it', async () => {
  const { clock, children, ask } = sandboxOf(task => task === 'bad')
  const answers = Promise.all(['a', 'bad', 'c'].map(ask))
  await turn()
  clock.advance(60)
  children[0].use = { cpuMs: 999, rssBytes: 10 }
  clock.advance(60)
  expect(children).toHaveLength(1)
  children[0].use = { cpuMs: 1_001, rssBytes: 10 }
  clock.advance(60)
  expect(children[0].isKilled).toBe(true)
  expect(await answers).toEqual(['did a', 'timeout', 'did c'])
  expect(children[1].tasks).toEqual(['open', 'c'])
})

it('a child that the system keeps waiting is not killed, however late the clock says it is', async () => {
  const { clock, children, ask } = sandboxOf(task => task === 'slow')
  const answer = ask('slow')
  await turn()
  clock.advance(60)
  for (let i = 0; i < 20; i++) clock.advance(100)
  expect(children[0].isKilled).toBe(false)
  children[0].say(frameOf(Buffer.from('done')))
  expect(await answer).toBe('done')
})

it('a child that grows too large is killed, and so is one that answers too much', async () => {
  const { clock, children, ask } = sandboxOf(task => task === 'bad')
  const large = ask('bad')
  await turn()
  children[0].use = { cpuMs: 1, rssBytes: 1_001 }
  clock.advance(60)
  expect(await large).toBe('memory')
  const long = ask('bad')
  await turn()
  children[1].say(frameOf(Buffer.alloc(101)))
  expect(await long).toBe('output')
  expect(children.map(({ isKilled }) => isKilled)).toEqual([true, true])
})

it('a child that ends by itself costs the task it was at; one that never starts costs all of them once', async () => {
  const { children, ask } = sandboxOf(task => task === 'bad')
  const answers = Promise.all(['bad', 'b'].map(ask))
  await turn()
  children[0].end('killed')
  expect(await answers).toEqual(['crashed', 'did b'])
  const dead = sandboxOf(() => true)
  const none = Promise.all(['a', 'b'].map(dead.ask))
  await turn()
  dead.children[0].end('no such program')
  expect(await none).toEqual(['crashed', 'crashed'])
  expect(dead.children).toHaveLength(1)
  expect(dead.opened).toEqual([false])
})
