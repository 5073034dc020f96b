/**
 * A guest in a sandbox. The facts of a page go there first; the page itself follows only if its verdict and
 * the guest's functions need it.
 */
import type { Clock, GuestFailureCode } from '../../model/index.js'
import { GUEST_LIMITS } from '../limits.js'
import { Sandbox, type SandboxAnswer, type SandboxChild } from '../sandbox/index.js'
import type { Facts, Guest, GuestFailure, JudgedPage, Judgement, Rating } from './guest.js'
import { badOutput, checkGuest, checkVerdict, judgementOf, ratingOf } from './guest-module.js'
import { ItemCheck, type ItemSchema } from './items.js'
import {
  type GuestAnswer,
  type GuestExports,
  type GuestReading,
  packTask,
  type RawRating,
} from './realm/index.js'
import { Selection, type SelectionSettings } from './selection.js'
import type { Verdict } from './verdict.js'

export interface SandboxedGuestParts {
  readonly clock: Clock
  /** Starts a child that runs `GuestProgram`. */
  readonly start: () => SandboxChild
  readonly wasm: Uint8Array
  /** JavaScript of the module, and its name for messages. */
  readonly code: string
  readonly fileName: string
  readonly selection: SelectionSettings
  /** What another instance has saved; empty at first. */
  readonly state?: string
}

const CODES: Readonly<Record<string, GuestFailureCode>> = {
  threw: 'GUEST_THREW',
  output: 'GUEST_OUTPUT',
  timeout: 'GUEST_TIMEOUT',
  memory: 'GUEST_MEMORY',
  crashed: 'GUEST_CRASHED',
  code: 'GUEST_THREW',
}

export class SandboxedGuest implements Guest {
  readonly #selection: Selection
  readonly #sandbox: Sandbox
  #state: string
  #opened: Promise<Answer>
  #setOpened!: (answer: Answer) => void
  #exports: GuestExports = { functions: {} }
  #items = new ItemCheck(null)

  /** Starts the child and loads the module. Throws a TypeError of one line if it cannot be used. */
  static async open(parts: SandboxedGuestParts): Promise<SandboxedGuest> {
    const guest = new SandboxedGuest(parts)
    try {
      await guest.#load()
      return guest
    } catch (error) {
      await guest.close()
      throw error
    }
  }

  private constructor(parts: SandboxedGuestParts) {
    this.#state = parts.state ?? ''
    this.#selection = new Selection(parts.selection)
    this.#opened = new Promise(resolve => {
      this.#setOpened = resolve
    })
    this.#sandbox = new Sandbox({
      clock: parts.clock,
      limits: GUEST_LIMITS,
      start: parts.start,
      opening: () => {
        const { code, fileName, wasm } = parts
        return packTask({ kind: 'open', code, fileName, state: this.#state }, wasm)
      },
      onOpened: answer => this.#setOpened(read(answer)),
    })
  }

  get schema(): ItemSchema | null {
    return this.#items.schema
  }

  get rates(): boolean {
    return this.#has('accept') || this.#has('score')
  }

  get readsLinks(): boolean {
    return this.#has('filter') || this.#has('extract')
  }

  async judge(page: JudgedPage): Promise<Judgement> {
    const facts = this.#selection.factsOf(page)
    const verdict = this.#has('select')
      ? await this.#select(facts)
      : this.#selection.verdictOn(facts, this.#has('filter'))
    if (typeof verdict === 'object') return { ok: false, failure: verdict }
    const wants = { filter: verdict === 'part' && this.#has('filter'), extract: this.#has('extract') }
    if (verdict === 'none' || !(wants.filter || wants.extract))
      return judgementOf(verdict, this.#partOf(verdict, page), undefined, this.#items)
    const task = { kind: 'read', facts, links: page.links, wants } as const
    const answer = await this.#ask(packTask(task, page.text(), page.html()))
    if (!answer.ok) return answer
    const { part, rows } = answer.value as GuestReading
    return judgementOf(verdict, wants.filter ? part : this.#partOf(verdict, page), rows, this.#items)
  }

  async rate(urls: readonly string[]): Promise<readonly Rating[]> {
    const answer = await this.#ask(packTask({ kind: 'rate', urls }))
    if (!answer.ok) return urls.map(() => answer.failure)
    const ratings = answer.value as readonly RawRating[]
    return urls.map((_, i) => {
      const rating = ratings[i]
      if ('failed' in rating)
        return { code: CODES[rating.failed], detail: rating.detail, stack: rating.stack }
      return ratingOf(rating.accepted, rating.score)
    })
  }

  async save(): Promise<string> {
    if (this.#has('save')) await this.#ask(packTask({ kind: 'save' }))
    return this.#state
  }

  async close(): Promise<void> {
    this.#sandbox.close()
  }

  async #load(): Promise<void> {
    // Any task opens the sandbox; this one asks nothing.
    const first = this.#ask(packTask({ kind: 'save' }))
    const opened = await Promise.race([
      this.#opened,
      first.then(answer => (answer.ok ? this.#opened : answer)),
    ])
    if (!opened.ok) throw new TypeError(opened.failure.detail)
    this.#exports = opened.value as GuestExports
    const { functions, name, schema } = this.#exports
    const shape = Object.entries(functions).map(([key, type]) => [key, type === 'function' ? () => {} : type])
    checkGuest({ ...Object.fromEntries(shape), ...(name === undefined ? {} : { name }) })
    this.#items = new ItemCheck(schema)
    this.#selection.check(this.#has('filter'))
    await first
  }

  async #select(facts: Facts): Promise<Verdict | GuestFailure> {
    const answer = await this.#ask(packTask({ kind: 'select', facts }))
    if (!answer.ok) return answer.failure
    const verdict = checkVerdict(answer.value)
    return typeof verdict === 'object' ? verdict : this.#selection.checkPart(verdict, this.#has('filter'))
  }

  /** The part without the guest's `filter`: the lines with keywords. */
  #partOf(verdict: Verdict, page: JudgedPage): string {
    return verdict === 'part' ? this.#selection.counter.linesWith(page.text()) : ''
  }

  #has(name: string): boolean {
    return this.#exports.functions[name] === 'function'
  }

  async #ask(task: Uint8Array): Promise<Answer> {
    const answer = read(await this.#sandbox.ask(task))
    if (answer.ok && answer.state !== undefined) this.#state = answer.state
    return answer
  }
}

type Answer =
  | { readonly ok: true; readonly value: unknown; readonly state?: string }
  | { readonly ok: false; readonly failure: GuestFailure }

/** The child is not trusted: what it sends may be anything. */
function read(answer: SandboxAnswer): Answer {
  if (!answer.ok) return { ok: false, failure: { code: CODES[answer.why], detail: answer.detail } }
  try {
    const value = JSON.parse(answer.bytes.toString()) as GuestAnswer
    if (!('failed' in value)) return value.ok === true ? value : { ok: false, failure: badOutput(STRANGE) }
    const { failed, detail, stack } = value
    const failure = { code: CODES[failed] ?? 'GUEST_CRASHED', detail: String(detail) }
    return { ok: false, failure: stack ? { ...failure, stack: String(stack) } : failure }
  } catch {
    return { ok: false, failure: badOutput(STRANGE) }
  }
}

const STRANGE = 'the sandbox answered something that is not an answer'
