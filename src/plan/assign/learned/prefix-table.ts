/**
 * S3, the other form of a routing table: address prefixes -> part, aggregated as routers do (CIDR). Where all
 * known addresses below a prefix belong to one part, the prefix stands for them all; a longer prefix wins
 * over a shorter one. Addresses that nothing is known of are answered by the prefix they fall under, which is
 * where their neighbours went, or by none.
 */
import { isIPv4, isIPv6 } from 'node:net'

export interface AddressRoute {
  readonly address: string
  readonly part: number
}

export interface Prefix {
  /** `10.1.0.0/16`, `2001:db8::/32` in full groups. */
  readonly prefix: string
  readonly part: number
}

interface Node {
  readonly children: [Node | null, Node | null]
  /** Of the address that ends here; -1 inside. */
  part: number
}

/** Prefixes shorter than these say nothing about neighbours. */
const SHORTEST = { 4: 8, 6: 16 } as const

export class PrefixTable {
  readonly #roots: Readonly<Record<4 | 6, Node>> = { 4: node(), 6: node() }

  /** A part of an address that is named twice is the one named last; text that is no address is left out. */
  constructor(routes: readonly AddressRoute[]) {
    for (const { address, part } of routes) {
      const bits = bitsOf(address)
      if (bits === null) continue
      let at = this.#roots[bits.length === 32 ? 4 : 6]
      for (const bit of bits) {
        at.children[bit] ??= node()
        at = at.children[bit]!
      }
      at.part = part
    }
  }

  /** The fewest prefixes that give every known address its part, the more general first. */
  prefixes(): Prefix[] {
    return ([4, 6] as const).flatMap(family => {
      const found: { readonly bits: readonly number[]; readonly part: number }[] = []
      collect(this.#roots[family], [], SHORTEST[family], -1, found)
      return found.map(({ bits, part }) => ({ prefix: written(bits, family), part }))
    })
  }
}

/** The same, asked: the longest prefix that covers an address says its part. */
export class PrefixRoutes {
  readonly prefixes: readonly Prefix[]
  /** Bits of a prefix -> part; the family is told by a letter in front. */
  readonly #parts = new Map<string, number>()
  /** Of the prefixes there are, the longest first. */
  readonly #lengths: readonly number[]

  constructor(prefixes: readonly Prefix[]) {
    this.prefixes = prefixes
    const lengths = new Set<number>()
    for (const { prefix, part } of prefixes) {
      const slash = prefix.indexOf('/')
      const bits = bitsOf(prefix.slice(0, slash))
      if (bits === null) continue
      const length = Number(prefix.slice(slash + 1))
      lengths.add(length)
      this.#parts.set(keyOf(bits, length), part)
    }
    this.#lengths = [...lengths].sort((a, b) => b - a)
  }

  /** -1 when none covers it, or it is no address. */
  partOf(address: string): number {
    const bits = this.#lengths.length > 0 ? bitsOf(address) : null
    if (bits === null) return -1
    for (const length of this.#lengths) {
      const part = length <= bits.length ? this.#parts.get(keyOf(bits, length)) : undefined
      if (part !== undefined) return part
    }
    return -1
  }
}

function keyOf(bits: readonly number[], length: number): string {
  return `${bits.length === 32 ? 'v4' : 'v6'}${bits.slice(0, length).join('')}`
}

function node(): Node {
  return { children: [null, null], part: -1 }
}

/**
 * Parts that could stand at a node at least cost: those of both children where there are any, else of either.
 */
const choices = new WeakMap<Node, ReadonlySet<number>>()

function choicesOf(at: Node): ReadonlySet<number> {
  const known = choices.get(at)
  if (known) return known
  const [left, right] = at.children.map(child => (child ? choicesOf(child) : null))
  let found: ReadonlySet<number>
  if (left && right) {
    const both = new Set([...left].filter(part => right.has(part)))
    found = both.size > 0 ? both : new Set([...left, ...right])
  } else found = left ?? right ?? new Set([at.part])
  choices.set(at, found)
  return found
}

function collect(
  at: Node,
  bits: readonly number[],
  shortest: number,
  inherited: number,
  found: { readonly bits: readonly number[]; readonly part: number }[],
): void {
  const possible = choicesOf(at)
  let part = inherited
  if (bits.length >= shortest && !possible.has(inherited)) {
    part = Math.min(...possible)
    found.push({ bits, part })
  }
  for (const [bit, child] of at.children.entries())
    if (child) collect(child, [...bits, bit], shortest, part, found)
}

function bitsOf(address: string): number[] | null {
  if (isIPv4(address)) return address.split('.').flatMap(byte => binary(Number(byte), 8))
  if (!isIPv6(address) || address.includes('%') || address.includes('.')) return null
  const [head, tail] = address.split('::')
  const groups = (text: string | undefined) => (text ? text.split(':') : [])
  const missing = 8 - groups(head).length - groups(tail).length
  const all = tail === undefined ? groups(head) : [...groups(head), ...zeros(missing), ...groups(tail)]
  return all.flatMap(group => binary(Number.parseInt(group, 16), 16))
}

function zeros(count: number): string[] {
  return new Array<string>(count).fill('0')
}

function binary(value: number, width: number): number[] {
  return Array.from({ length: width }, (_, i) => (value >> (width - 1 - i)) & 1)
}

function written(bits: readonly number[], family: 4 | 6): string {
  const width = family === 4 ? 8 : 16
  const count = family === 4 ? 4 : 8
  const values = Array.from({ length: count }, (_, i) =>
    Array.from({ length: width }, (_, j) => bits[i * width + j] ?? 0).reduce((sum, bit) => 2 * sum + bit, 0),
  )
  const text = family === 4 ? values.join('.') : values.map(value => value.toString(16)).join(':')
  return `${text}/${bits.length}`
}
