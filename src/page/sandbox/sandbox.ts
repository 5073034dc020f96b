/**
 * The parent's side of a sandbox. Tasks are written to the child as they come, and answered in order. The
 * child works on the oldest task without an answer, so that one pays when a limit is exceeded: it fails, the
 * child is killed, and a new child gets the other tasks again.
 */
import type { Clock, Millis } from '../../model/index.js'
import { SANDBOX_LOOK_MS, SANDBOX_SENT_BYTES, SANDBOX_SENT_TASKS } from '../limits.js'
import { FrameReader, frameOf } from './frames.js'
import type { SandboxAnswer, SandboxChild, SandboxFailure, SandboxLimits } from './sandbox-child.js'

export interface SandboxParts {
  readonly clock: Clock
  readonly limits: SandboxLimits
  readonly start: () => SandboxChild
  /** The first task of each child; its answer is awaited like any other. */
  readonly opening: () => Buffer
  /** Called with each answer to an opening. */
  readonly onOpened: (answer: SandboxAnswer) => void
}

interface Task {
  readonly frame: Buffer
  readonly since: Millis
  readonly answer: (answer: SandboxAnswer) => void
}

/** When the child began with the oldest task, and the CPU time that it had used by then. */
interface Watch {
  readonly task: Task
  readonly since: Millis
  readonly cpuMs: Millis | null
}

/**
 * A process that was suspended must not take the pause for work of the child: between two looks, at most this
 * many intervals count.
 */
const LONGEST_LOOKS = 4

export class Sandbox {
  readonly #parts: SandboxParts
  #child: SandboxChild | null = null
  #reader: FrameReader
  /** Sent, the oldest first, and not sent yet. */
  #sent: Task[] = []
  #sentBytes = 0
  #waiting: Task[] = []
  #outbox: Buffer[] = []
  #isFlushing = false
  #watch: Watch | null = null
  #cancelLook: (() => void) | null = null
  /** Time in which this process was awake and waiting for the child. */
  #awakeMs: Millis = 0
  #lookedAt: Millis = 0
  /** The child has answered its opening. */
  #hasOpened = false
  #isClosed = false

  constructor(parts: SandboxParts) {
    this.#parts = parts
    this.#reader = new FrameReader(parts.limits.answerBytes)
  }

  /** Never rejects. */
  ask(bytes: Uint8Array): Promise<SandboxAnswer> {
    return new Promise(answer => {
      if (this.#isClosed) return answer({ ok: false, why: 'crashed', detail: 'the sandbox is closed' })
      this.#waiting.push({ frame: frameOf(bytes), since: this.#awakeMs, answer })
      if (this.#child === null) this.#open()
      this.#send()
      this.#lookLater()
    })
  }

  close(): void {
    this.#isClosed = true
    this.#drop()
    const tasks = [...this.#sent, ...this.#waiting]
    this.#sent = []
    this.#waiting = []
    for (const { answer } of tasks) answer({ ok: false, why: 'crashed', detail: 'the sandbox is closed' })
  }

  #open(): void {
    const child = this.#parts.start()
    this.#child = child
    this.#reader = new FrameReader(this.#parts.limits.answerBytes)
    child.listen(
      bytes => child === this.#child && this.#read(bytes),
      detail => child === this.#child && this.#fail('crashed', detail),
    )
    this.#waiting.unshift({
      frame: frameOf(this.#parts.opening()),
      since: this.#awakeMs,
      answer: answer => {
        this.#hasOpened = answer.ok
        this.#parts.onOpened(answer)
      },
    })
  }

  /** Sends what the child may have at once. The frames of one turn of the event loop are one write. */
  #send(): void {
    while (this.#waiting.length > 0 && this.#sent.length < SANDBOX_SENT_TASKS) {
      const [task] = this.#waiting
      if (this.#sent.length > 0 && this.#sentBytes + task.frame.length > SANDBOX_SENT_BYTES) break
      this.#waiting.shift()
      this.#sent.push(task)
      this.#sentBytes += task.frame.length
      this.#outbox.push(task.frame)
    }
    if (this.#outbox.length === 0 || this.#isFlushing) return
    this.#isFlushing = true
    this.#parts.clock.soon(() => {
      this.#isFlushing = false
      const frames = this.#outbox
      this.#outbox = []
      if (frames.length > 0) this.#child?.write(frames.length === 1 ? frames[0] : Buffer.concat(frames))
    })
  }

  #read(bytes: Buffer): void {
    this.#reader.push(bytes)
    try {
      for (let frame = this.#reader.next(); frame !== null; frame = this.#reader.next()) this.#answered(frame)
    } catch (error) {
      this.#fail('output', `an answer of ${(error as Error).message}`)
      return
    }
    this.#send()
  }

  #answered(bytes: Buffer): void {
    const task = this.#sent.shift()
    // An answer without a task: the child does not follow the protocol.
    if (task === undefined) throw new RangeError('more answers than tasks')
    this.#sentBytes -= task.frame.length
    task.answer({ ok: true, bytes })
  }

  /** The oldest task fails; the others go to the next child. Each failure takes a task away. */
  #fail(why: SandboxFailure, detail: string): void {
    const hadOpened = this.#hasOpened
    this.#drop()
    const tasks = [...this.#sent, ...this.#waiting]
    this.#sent = []
    this.#waiting = []
    // A program that does not even start would not start the next time either.
    const failed = hadOpened ? tasks.splice(0, 1) : tasks.splice(0)
    this.#waiting = tasks
    for (const { answer } of failed) answer({ ok: false, why, detail })
    if (this.#waiting.length === 0 || this.#isClosed || this.#child !== null) return
    this.#open()
    this.#send()
    this.#lookLater()
  }

  #drop(): void {
    const child = this.#child
    this.#child = null
    this.#hasOpened = false
    child?.kill()
    this.#sentBytes = 0
    this.#outbox = []
    this.#watch = null
    this.#cancelLook?.()
    this.#cancelLook = null
  }

  #lookLater(): void {
    if (this.#cancelLook !== null || this.#child === null) return
    this.#lookedAt = this.#parts.clock.monotonic()
    this.#cancelLook = this.#parts.clock.after(SANDBOX_LOOK_MS, () => {
      this.#cancelLook = null
      this.#look()
      if (this.#sent.length > 0 || this.#waiting.length > 0) this.#lookLater()
    })
  }

  /** Compares the child with its limits. */
  #look(): void {
    const { clock, limits } = this.#parts
    const usage = this.#child?.usage() ?? null
    if (usage !== null && usage.rssBytes > limits.rssBytes) {
      this.#fail('memory', `the process had ${Math.round(usage.rssBytes / 1024 ** 2)} MiB`)
      return
    }
    const [task] = this.#sent
    const sinceLook = clock.monotonic() - this.#lookedAt
    this.#awakeMs += Math.min(sinceLook, LONGEST_LOOKS * SANDBOX_LOOK_MS)
    const now = this.#awakeMs
    this.#expire(now - limits.waitMs)
    if (task === undefined) this.#watch = null
    else if (this.#watch?.task !== task)
      this.#watch = { task, since: now, cpuMs: usage === null ? null : usage.cpuMs }
    else {
      const wallMs = now - this.#watch.since
      const cpuMs = usage === null || this.#watch.cpuMs === null ? null : usage.cpuMs - this.#watch.cpuMs
      const isOver = cpuMs === null ? wallMs >= limits.wallMs : cpuMs >= limits.cpuMs
      if (isOver || wallMs >= limits.silentMs) this.#fail('timeout', `no answer in ${Math.round(wallMs)} ms`)
    }
  }

  /** A task that was not even sent for so long fails; the child never sees it. */
  #expire(before: Millis): void {
    const late = this.#waiting.filter(({ since }) => since < before)
    if (late.length === 0) return
    this.#waiting = this.#waiting.filter(({ since }) => since >= before)
    for (const { answer } of late)
      answer({ ok: false, why: 'timeout', detail: 'the tasks before it took too long' })
  }
}
