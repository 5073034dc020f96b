/**
 * A virtual machine with one guest: QuickJS in WebAssembly, with limits on memory, stack and time. It runs in
 * the child process, never in ours.
 */
import { EvalFlags, JSException, type JSValueHandle, QuickJS, type QuickJSOptions } from 'quickjs-wasi'
import { REALM_ANSWER_CHARS, REALM_CALL_MS, REALM_MEMORY_BYTES, REALM_STACK_BYTES } from '../../limits.js'
import type { PageTree } from '../html/index.js'
import { LIBRARY, PRELUDE } from './prelude.js'

export interface RealmParts {
  /** The compiled engine. */
  readonly wasm: object
  /** JavaScript. */
  readonly code: string
  readonly fileName: string
  /** Of the process; the one that has passed less counts: a process that is suspended uses no CPU. */
  readonly time: () => { readonly cpuMs: number; readonly wallMs: number }
}

/** The machine is not usable any more: a limit was exceeded, or the engine itself failed. */
export class RealmEnded extends Error {
  readonly why: 'timeout' | 'memory' | 'crashed'

  constructor(why: 'timeout' | 'memory' | 'crashed', detail: string) {
    super(detail)
    this.why = why
  }
}

/** The code cannot be loaded; the message is one line for its author. */
export class RealmCodeError extends Error {}

type Task = 'open' | 'load' | 'select' | 'read' | 'rate' | 'save'

export class Realm {
  /** Searched by `find` while a page is read. */
  tree: PageTree | null = null
  readonly #parts: RealmParts
  #machine!: QuickJS
  #entry!: JSValueHandle
  #from = { cpuMs: 0, wallMs: 0 }
  #isInterrupted = false

  private constructor(parts: RealmParts) {
    this.#parts = parts
  }

  /** Returns the realm and the answer to its task `open`. Throws RealmEnded or RealmCodeError. */
  static async open(parts: RealmParts): Promise<{ readonly realm: Realm; readonly exports: string }> {
    const realm = new Realm(parts)
    await realm.#create()
    return { realm, exports: realm.#load() }
  }

  /** The JSON that the prelude answers. Throws RealmEnded. */
  call(task: Task, ...args: readonly string[]): string {
    return this.#guarded(() =>
      this.#machine.withScope(() =>
        this.#perform(
          task,
          args.map(text => this.#machine.newString(text)),
        ),
      ),
    )
  }

  close(): void {
    try {
      this.#machine.dispose()
    } catch {
      // A machine that has failed may fail here too; its memory is collected with it.
    }
  }

  async #create(): Promise<void> {
    const { wasm } = this.#parts
    const options: QuickJSOptions = {
      wasm: wasm as QuickJSOptions['wasm'],
      memoryLimit: REALM_MEMORY_BYTES,
      maxStackSize: REALM_STACK_BYTES,
      timezoneOffset: 0,
      interruptHandler: () => this.#isOver(),
      moduleLoader: {
        normalize: (_base: string, name: string) => name,
        load: (name: string) => {
          if (name === 'orbweaver') return LIBRARY
          throw new TypeError(`a sandboxed guest cannot import ${JSON.stringify(name.slice(0, 80))}`)
        },
      },
    }
    this.#machine = await QuickJS.create(options)
  }

  #load(): string {
    const machine = this.#machine
    return this.#guarded(() => {
      const prelude = machine.evalCode(PRELUDE, 'prelude.js')
      const host = machine.newFunction('host', (name, args) =>
        machine.newString(this.#host(name.toString(), args.toString())),
      )
      this.#entry = machine.callFunction(
        prelude,
        machine.undefined,
        host,
        machine.newNumber(REALM_ANSWER_CHARS),
      )
      return this.#perform('open', [this.#exports()])
    })
  }

  /** The namespace of the guest's module. */
  #exports(): JSValueHandle {
    const { code, fileName } = this.#parts
    const machine = this.#machine
    try {
      const module = machine.evalCode(code, fileName, EvalFlags.TYPE_MODULE)
      machine.executePendingJobs()
      if (module.promiseState === 0) throw new RealmCodeError('its top level awaits something')
      let exports: JSValueHandle | undefined
      let trouble = 'its module could not be loaded'
      // The promise is settled: its reactions run at once.
      const take = machine.newFunction('take', value => {
        exports = value.dup()
        return machine.undefined
      })
      const fail = machine.newFunction('fail', value => {
        trouble = this.#describe(value)
        return machine.undefined
      })
      const settle = machine.evalCode('(promise, take, fail) => { promise.then(take, fail) }')
      machine.callFunction(settle, machine.undefined, module, take, fail)
      machine.executePendingJobs()
      if (exports === undefined) throw new RealmCodeError(trouble)
      return exports
    } catch (error) {
      if (!(error instanceof JSException) || this.#isInterrupted) throw error
      throw new RealmCodeError(this.#describe(error.handle))
    }
  }

  #describe(value: JSValueHandle): string {
    try {
      const stack = value.getProp('stack')
      const place = /(?:guest|[\w.-]+\.[jt]s):(\d+)/.exec(stack.isString ? stack.toString() : '')
      return `${value.toString()}${place === null ? '' : ` (line ${place[1]})`}`.slice(0, 1_000)
    } catch {
      return 'it throws something that cannot be shown'
    }
  }

  #perform(task: Task, args: readonly JSValueHandle[]): string {
    const machine = this.#machine
    const name = machine.newString(task)
    const answer = machine.callFunction(this.#entry, machine.undefined, name, ...args)
    return answer.toString()
  }

  /** Functions of the host that the prelude may call. */
  #host(name: string, json: string): string {
    const [element, argument = ''] = JSON.parse(json) as [number, string?]
    const tree = this.tree
    if (tree === null) throw new TypeError('a page can only be searched while it is read')
    switch (name) {
      case 'find':
        return JSON.stringify(tree.find(element, argument).map(found => [found, tree.tag(found)]))
      case 'text':
        return tree.text(element)
      case 'html':
        return tree.html(element)
      default:
        return JSON.stringify(tree.attribute(element, argument) ?? null)
    }
  }

  #isOver(): boolean {
    const { cpuMs, wallMs } = this.#parts.time()
    const spent = Math.min(cpuMs - this.#from.cpuMs, wallMs - this.#from.wallMs)
    if (spent > REALM_CALL_MS) this.#isInterrupted = true
    return this.#isInterrupted
  }

  /** Turns whatever the engine throws into RealmEnded. */
  #guarded(work: () => string): string {
    this.#from = this.#parts.time()
    this.#isInterrupted = false
    try {
      const answer = work()
      if (this.#isInterrupted) throw new RealmEnded('timeout', 'interrupted')
      if (answer.includes('InternalError: out of memory') && answer.startsWith('{"failed"'))
        throw new RealmEnded('memory', 'out of memory')
      return answer
    } catch (error) {
      if (error instanceof RealmEnded) throw error
      if (this.#isInterrupted) throw new RealmEnded('timeout', `no result in ${REALM_CALL_MS} ms`)
      if (error instanceof RealmCodeError) throw error
      const text = describeError(error)
      throw new RealmEnded(/memory/i.test(text) ? 'memory' : 'crashed', text)
    }
  }
}

function describeError(error: unknown): string {
  try {
    return String((error as Error).message).slice(0, 1_000)
  } catch {
    return 'the engine failed'
  }
}
