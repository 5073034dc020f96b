/**
 * What the pages of a walk link to besides the next step, by number: the days of a month, the events of a
 * week. As long as these show anything, so does the walk; when they have long said the same but for their
 * numbers, they are no fruit.
 */
import { fingerprint, takeFingerprint } from '../../../model/bytes/index.js'
import { pathStart } from '../../../model/url/index.js'

const KINDS = 64
const REMEMBERED = 16

interface Kind {
  readonly patience: number
  empty: number
  readonly contents: number[]
}

export class WalkLeaves {
  readonly #kinds = new Map<number, Kind>()

  /** A URL that is new, on a page of a long walk: whether there is hope in it. */
  isFruit(url: string, patience: number): boolean {
    const shape = shapeOf(url)
    if (shape === null) return true
    const kind = this.#kinds.get(shape)
    if (kind !== undefined) return kind.empty < kind.patience
    if (this.#kinds.size >= KINDS) this.#kinds.delete(this.#kinds.keys().next().value as number)
    this.#kinds.set(shape, { patience, empty: 0, contents: [] })
    return true
  }

  /** Of which kind a page is; null when it is none of these. */
  kindOf(url: string): number | null {
    const shape = this.#kinds.size === 0 ? null : shapeOf(url)
    return shape !== null && this.#kinds.has(shape) ? shape : null
  }

  /** A page was read; `content` is what it says apart from numbers. */
  read(shape: number, content: number, isFruitful: boolean): void {
    const kind = this.#kinds.get(shape)
    if (kind === undefined) return
    const isKnown = kind.contents.includes(content)
    kind.empty = isKnown && !isFruitful ? kind.empty + 1 : 0
    if (isKnown) return
    kind.contents.push(content)
    if (kind.contents.length > REMEMBERED) kind.contents.shift()
  }
}

/** The same for URLs that differ in their numbers only; null for one without numbers. */
export function shapeOf(url: string): number | null {
  const start = pathStart(url)
  const target = url.slice(start)
  const masked = target.replace(/\d+/g, '#')
  if (masked === target) return null
  takeFingerprint(url.slice(0, start) + masked)
  return fingerprint.low
}
