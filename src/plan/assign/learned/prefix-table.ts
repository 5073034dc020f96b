/**
 * The other form of a routing table: address prefixes -> part, aggregated as routers do it. A prefix stands
 * for all known addresses below it if they belong to one part; a longer prefix wins over a shorter one. An
 * unknown address gets the part of the prefix that covers it, which is the part of its neighbours, or none.
 */
import { isIPv4, isIPv6 } from 'node:net'

export interface AddressRoute {
  readonly address: string
  readonly part: number
}

export interface Prefix {
  /** For example `10.1.0.0/16`; IPv6 groups are written in full. */
  readonly prefix: string
  readonly part: number
}

interface Node {
  readonly children: [Node | null, Node | null]
  /** The part of the address that ends here; -1 for inner nodes. */
  part: number
}

/** Shorter prefixes do not make addresses neighbours. */
const SHORTEST = { 4: 8, 6: 16 } as const

export class PrefixTable {
  readonly #roots: Readonly<Record<4 | 6, Node>> = { 4: node(), 6: node() }

  /** The last route of an address counts; text that is no address is ignored. */
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

  /** The smallest list of prefixes that gives each known address its part, shorter prefixes first. */
  prefixes(): Prefix[] {
    return ([4, 6] as const).flatMap(family => {
      const found: { readonly bits: readonly number[]; readonly part: number }[] = []
      collect(this.#roots[family], [], SHORTEST[family], -1, found)
      return found.map(({ bits, part }) => ({ prefix: textOf(bits, family), part }))
    })
  }
}

/** Looks up the part of an address: that of the longest prefix that covers it. */
export class PrefixRoutes {
  readonly prefixes: readonly Prefix[]
  /** Bits of a prefix, after the address family -> part. */
  readonly #parts = new Map<string, number>()
  /** Lengths of the prefixes, the longest first. */
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

  /** -1 if no prefix covers the text, or it is no address. */
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

/** The parts that a node may have at the least cost: those common to both children, else those of either. */
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
  const zeros = new Array<string>(Math.max(0, missing)).fill('0')
  const all = tail === undefined ? groups(head) : [...groups(head), ...zeros, ...groups(tail)]
  return all.flatMap(group => binary(Number.parseInt(group, 16), 16))
}

function binary(value: number, width: number): number[] {
  return Array.from({ length: width }, (_, i) => (value >> (width - 1 - i)) & 1)
}

function textOf(bits: readonly number[], family: 4 | 6): string {
  const width = family === 4 ? 8 : 16
  const count = family === 4 ? 4 : 8
  const values = Array.from({ length: count }, (_, i) =>
    Array.from({ length: width }, (_, j) => bits[i * width + j] ?? 0).reduce((sum, bit) => 2 * sum + bit, 0),
  )
  const text = family === 4 ? values.join('.') : values.map(value => value.toString(16)).join(':')
  return `${text}/${bits.length}`
}
