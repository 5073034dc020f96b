/**
 * The program in the child of a sandboxed guest. It keeps one realm; when that has ended, a new one is made
 * and continues with what the guest saved last.
 */
import { REALM_SAVE_EVERY, REALM_STATE_CHARS } from '../../limits.js'
import { PageTree } from '../html/index.js'
import { type GuestAnswer, type GuestTask, unpackTask } from './messages.js'
import { Realm, RealmCodeError, RealmEnded, type RealmParts } from './realm.js'

/** Only the browser's types declare it. */
declare const WebAssembly: { readonly Module: new (bytes: Uint8Array) => object }

export class GuestProgram {
  readonly #time: RealmParts['time']
  #parts: RealmParts | null = null
  #realm: Realm | null = null
  #saves = false
  #state = ''
  #sinceSave = 0

  constructor(time: RealmParts['time']) {
    this.#time = time
  }

  async answer(packed: Buffer): Promise<Buffer> {
    const { task, parts } = unpackTask(packed)
    return Buffer.from(JSON.stringify(await this.#answer(task, parts)))
  }

  async #answer(task: GuestTask, parts: readonly Buffer[]): Promise<GuestAnswer> {
    try {
      if (task.kind === 'open') {
        const wasm = new WebAssembly.Module(new Uint8Array(parts[0]))
        this.#parts = { wasm, code: task.code, fileName: task.fileName, time: this.#time }
        this.#state = task.state
        return await this.#open()
      }
      if (this.#realm === null) {
        const opened = await this.#open()
        if ('failed' in opened) return opened
      }
      const answer = JSON.parse(this.#perform(this.#realm!, task, parts)) as GuestAnswer
      return 'failed' in answer ? answer : this.#withState(answer, task.kind === 'save')
    } catch (error) {
      return this.#ended(error)
    }
  }

  async #open(): Promise<GuestAnswer> {
    const { realm, exports } = await Realm.open(this.#parts!)
    const answer = JSON.parse(exports) as GuestAnswer
    if ('failed' in answer) {
      realm.close()
      return { ...answer, failed: 'code' }
    }
    const { functions } = answer.value as { readonly functions: Readonly<Record<string, string>> }
    this.#saves = functions.save === 'function'
    this.#realm = realm
    if (this.#state !== '' && functions.load === 'function') {
      const loaded = JSON.parse(realm.call('load', this.#state)) as GuestAnswer
      if ('failed' in loaded) return loaded
    }
    return answer
  }

  #perform(realm: Realm, task: Exclude<GuestTask, { kind: 'open' }>, parts: readonly Buffer[]): string {
    switch (task.kind) {
      case 'select':
        return realm.call('select', JSON.stringify(task.facts))
      case 'read': {
        const [text, html] = parts.map(String)
        realm.tree = new PageTree(html)
        try {
          const { facts, links, wants } = task
          return realm.call('read', JSON.stringify({ facts, links, wants }), text, html)
        } finally {
          realm.tree = null
        }
      }
      case 'rate':
        return realm.call('rate', JSON.stringify(task.urls))
      case 'save':
        return JSON.stringify({ ok: true, value: null })
    }
  }

  /** From time to time the state goes along, so that it outlives this process. */
  #withState(answer: GuestAnswer & { ok: true }, isAsked: boolean): GuestAnswer {
    if (!this.#saves || (!isAsked && ++this.#sinceSave < REALM_SAVE_EVERY)) return answer
    this.#sinceSave = 0
    const saved = JSON.parse(this.#realm!.call('save')) as GuestAnswer
    if ('failed' in saved) return isAsked ? saved : answer
    const state = JSON.stringify(saved.value)
    if (state.length > REALM_STATE_CHARS) {
      const detail = `save: ${state.length} characters; ${REALM_STATE_CHARS} are kept`
      return isAsked ? { failed: 'output', detail } : answer
    }
    if (!isAsked && state === this.#state) return answer
    this.#state = state
    return { ...answer, state }
  }

  #ended(error: unknown): GuestAnswer {
    this.#realm?.close()
    this.#realm = null
    if (error instanceof RealmCodeError) return { failed: 'code', detail: error.message }
    if (error instanceof RealmEnded) return { failed: error.why, detail: error.message }
    return { failed: 'crashed', detail: String(error).slice(0, 1_000) }
  }
}
