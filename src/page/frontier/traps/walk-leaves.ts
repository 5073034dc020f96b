/**
 * Tracks pages to which a walk links by number besides its next step: the days of a month, the events of a
 * week. They count as content of the walk until they have long repeated themselves, except for their numbers.
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

  /** Whether a new URL on a page of a long walk may still be content. */
  isFruit(url: string, patience: number): boolean {
    const shape = shapeOf(url)
    if (shape === null) return true
    const kind = this.#kinds.get(shape)
    if (kind !== undefined) return kind.empty < kind.patience
    if (this.#kinds.size >= KINDS) this.#kinds.delete(this.#kinds.keys().next().value as number)
    this.#kinds.set(shape, { patience, empty: 0, contents: [] })
    return true
  }

  /** The kind of a page; null if a walk does not link to its kind. */
  kindOf(url: string): number | null {
    const shape = this.#kinds.size === 0 ? null : shapeOf(url)
    return shape !== null && this.#kinds.has(shape) ? shape : null
  }

  /** Takes a page; `content` is the hash of its text without numbers. */
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

/** Equal for URLs that differ only in numbers; null for a URL without numbers. */
export function shapeOf(url: string): number | null {
  const start = pathStart(url)
  const target = url.slice(start)
  const masked = target.replace(/\d+/g, '#')
  if (masked === target) return null
  takeFingerprint(url.slice(0, start) + masked)
  return fingerprint.low
}
