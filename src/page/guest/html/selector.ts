/**
 * The part of CSS selectors that data on pages needs: type, `*`, `#id`, `.class`, `[attribute]` with its
 * operators, `:first-child`, `:last-child`, `:nth-child(n)`, `:not(…)`, the combinators space, `>`, `+` and
 * `~`, and lists with commas.
 */
import { SELECTOR_CHARS } from '../../limits.js'
import type { Element } from '../../parse/tree/index.js'

type Test = (element: Element) => boolean
type Combinator = ' ' | '>' | '+' | '~'

/** One compound, and the compound that must stand before it. */
interface Step {
  readonly tests: readonly Test[]
  readonly before: { readonly combinator: Combinator; readonly step: Step } | null
}

export type Matcher = (element: Element) => boolean

const NAME = /^-?(?:[_a-z\u0080-\uffff]|\\.)(?:[-\w\u0080-\uffff]|\\.)*/i
const ATTRIBUTE =
  /^\[\s*([-\w:\u0080-\uffff]+)\s*(?:([~^$*|]?=)\s*(?:"([^"]*)"|'([^']*)'|([^\s"'\]]+))\s*(?:([is])\s*)?)?\]/i
const PSEUDO = /^:([-a-z]+)(?:\(\s*([^()]*)\s*\))?/i
/** Throws a SyntaxError that quotes the selector. */
export function compileSelector(selector: string): Matcher {
  if (selector.length > SELECTOR_CHARS) throw new SyntaxError('the selector is too long')
  const steps = new Parser(selector).list()
  return element => steps.some(step => matches(element, step))
}

function matches(element: Element, { tests, before }: Step): boolean {
  if (!tests.every(test => test(element))) return false
  if (before === null) return true
  const { combinator, step } = before
  const isOne = combinator === '>' || combinator === '+'
  const next = combinator === ' ' || combinator === '>' ? parentOf : previousOf
  for (let other = next(element); other !== null; other = isOne ? null : next(other))
    if (matches(other, step)) return true
  return false
}

function parentOf({ parentNode }: Element): Element | null {
  return parentNode !== null && 'tagName' in parentNode ? parentNode : null
}

function previousOf(element: Element): Element | null {
  const siblings = siblingsOf(element)
  return siblings[siblings.indexOf(element) - 1] ?? null
}

function siblingsOf({ parentNode }: Element): Element[] {
  return parentNode === null ? [] : parentNode.childNodes.filter((node): node is Element => 'tagName' in node)
}

function attributeOf(element: Element, name: string): string | undefined {
  return element.attrs.find(attribute => attribute.name === name)?.value
}

class Parser {
  readonly #source: string
  #rest: string

  constructor(source: string) {
    this.#source = source
    this.#rest = source.trim()
  }

  list(): Step[] {
    const steps = [this.#complex()]
    while (this.#take(/^\s*,\s*/)) steps.push(this.#complex())
    if (this.#rest !== '') this.#fail()
    return steps
  }

  #complex(): Step {
    let step: Step = { tests: this.#compound(), before: null }
    for (;;) {
      const found = this.#take(/^\s*([>+~])\s*|^\s+(?=[^\s,])/)
      if (found === null) return step
      const combinator = (found[1] ?? ' ') as Combinator
      step = { tests: this.#compound(), before: { combinator, step } }
    }
  }

  #compound(): Test[] {
    const tests: Test[] = []
    for (let test = this.#simple(); test !== null; test = this.#simple()) tests.push(test)
    return tests.length > 0 ? tests : this.#fail()
  }

  #simple(): Test | null {
    if (this.#take(/^\*/)) return () => true
    if (this.#take(/^#/)) {
      const id = this.#name()
      return element => attributeOf(element, 'id') === id
    }
    if (this.#take(/^\./)) {
      const name = this.#name()
      return element => (attributeOf(element, 'class') ?? '').split(/\s+/).includes(name)
    }
    if (this.#rest.startsWith('[')) return this.#attribute()
    if (this.#rest.startsWith(':')) return this.#pseudo()
    if (!NAME.test(this.#rest)) return null
    const tag = this.#name().toLowerCase()
    return element => element.tagName.toLowerCase() === tag
  }

  #attribute(): Test {
    const [, name, operator, ...values] = this.#take(ATTRIBUTE) ?? this.#fail()
    const [double, single, bare, flag] = values
    const key = name.toLowerCase()
    if (operator === undefined) return element => attributeOf(element, key) !== undefined
    const isLoose = flag?.toLowerCase() === 'i'
    const fold = (text: string) => (isLoose ? text.toLowerCase() : text)
    const wanted = fold(double ?? single ?? bare ?? '')
    return element => {
      const value = attributeOf(element, key)
      return value !== undefined && compares(operator, fold(value), wanted)
    }
  }

  #pseudo(): Test {
    const [, name, argument] = this.#take(PSEUDO) ?? this.#fail()
    switch (name.toLowerCase()) {
      case 'first-child':
        return element => siblingsOf(element)[0] === element
      case 'last-child':
        return element => siblingsOf(element).at(-1) === element
      case 'nth-child': {
        const nth = Number(argument)
        if (!Number.isInteger(nth) || nth < 1) this.#fail()
        return element => siblingsOf(element)[nth - 1] === element
      }
      case 'not': {
        if (argument === undefined) this.#fail()
        const inner = compileSelector(argument!)
        return element => !inner(element)
      }
      default:
        return this.#fail()
    }
  }

  #name(): string {
    const [name] = this.#take(NAME) ?? this.#fail()
    return name.replaceAll(/\\(.)/g, '$1')
  }

  #take(pattern: RegExp): RegExpExecArray | null {
    const found = pattern.exec(this.#rest)
    if (found !== null) this.#rest = this.#rest.slice(found[0].length)
    return found
  }

  #fail(): never {
    throw new SyntaxError(`the selector ${JSON.stringify(this.#source.slice(0, 80))} is not understood`)
  }
}

function compares(operator: string, value: string, wanted: string): boolean {
  switch (operator) {
    case '=':
      return value === wanted
    case '~=':
      return wanted !== '' && value.split(/\s+/).includes(wanted)
    case '|=':
      return value === wanted || value.startsWith(`${wanted}-`)
    case '^=':
      return wanted !== '' && value.startsWith(wanted)
    case '$=':
      return wanted !== '' && value.endsWith(wanted)
    default:
      return wanted !== '' && value.includes(wanted)
  }
}
