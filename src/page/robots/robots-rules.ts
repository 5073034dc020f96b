/**
 * The rules of one robots.txt that apply to us, by RFC 9309 and Google's published behaviour. Where the two
 * differ (`%62` is `b`, lines of any length), the RFC is followed.
 */

import { pathStart } from '../../model/url/index.js'
import { ROBOTS_RULES_SHARED_BYTES } from '../limits.js'
import { canonicalPath, looseQuery } from './path-form.js'
import { type RobotsFile, robotsFile } from './robots-bytes.js'
import {
  type DirectiveHandler,
  type DirectiveKind,
  type Line,
  readable,
  readDirectives,
} from './robots-lines.js'
import { beats, type Rule, type RuleVerdict } from './rule.js'
import { RuleIndex } from './rule-index.js'
import { WrittenRules } from './written-rules.js'

export interface RobotsVerdict {
  readonly allowed: boolean
  /** The line that decided, if one did. */
  readonly line?: { readonly number: number; readonly text: string }
}

const ALLOWED: RobotsVerdict = { allowed: true }

const SHARED = 256
const shared = new Map<string, RobotsRules>()

export class RobotsRules {
  readonly #text: string
  readonly #written: WrittenRules
  readonly #index: RuleIndex | null
  readonly #crawlDelayMs: number | null
  readonly #sitemaps: readonly string[]

  private constructor(file: RobotsFile, group: Group, sitemaps: readonly string[]) {
    this.#text = file.text
    this.#written = group.rules
    this.#index = group.rules.count > 0 ? new RuleIndex(file.text, group.rules) : null
    this.#crawlDelayMs = group.delayMs
    this.#sitemaps = sitemaps
  }

  /** Accepts any bytes. `productToken` is the name of the crawler; a version after a slash is ignored. */
  static parse(bytes: Uint8Array, productToken: string): RobotsRules {
    if (bytes.length > ROBOTS_RULES_SHARED_BYTES) return RobotsRules.#read(bytes, productToken)
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
    const key = `${productToken}\n${text}`
    const known = shared.get(key)
    if (known) return known
    const rules = RobotsRules.#read(bytes, productToken)
    if (shared.size >= SHARED) shared.clear()
    shared.set(key, rules)
    return rules
  }

  static #read(bytes: Uint8Array, productToken: string): RobotsRules {
    const file = robotsFile(bytes)
    const reader = new GroupReader(file.text, productToken)
    readDirectives(file, reader)
    return new RobotsRules(file, reader.group, reader.sitemaps)
  }

  /** `url` is normalised. Called for every URL: allocates nothing if the path needs no respelling. */
  allows(url: string): RobotsVerdict {
    if (this.#index === null) return ALLOWED
    const start = pathStart(url)
    const target = start < 0 ? '/' : url.slice(start)
    if (target === '/robots.txt') return ALLOWED
    const path = canonicalPath(target)
    let rule = this.#index.decide(path)
    const loose = looseQuery(path)
    if (loose !== path) {
      const other = this.#index.decide(loose)
      if (other !== null && (rule === null || beats(other, rule))) rule = other
    }
    if (rule === null) return ALLOWED
    rule.verdict ??= this.#verdictOf(rule)
    return rule.verdict
  }

  /** The largest Crawl-delay for us, without a limit; null if there is none. */
  get crawlDelayMs(): number | null {
    return this.#crawlDelayMs
  }

  /** As written, in order; they apply to all crawlers. */
  get sitemaps(): readonly string[] {
    return this.#sitemaps
  }

  #verdictOf(rule: Rule): RuleVerdict {
    const number = this.#written.lineNumber(rule.index)
    const text = readable(this.#written.line(this.#text, rule.index))
    return { allowed: rule.isAllow, line: { number, text } }
  }
}

interface Group {
  readonly rules: WrittenRules
  delayMs: number | null
}

/** The crawlers to which the following lines apply. */
interface Addressees {
  us: boolean
  all: boolean
}

/** Collects two groups: the rules of all groups that name us, and those of all groups for every crawler. */
class GroupReader implements DirectiveHandler {
  readonly sitemaps: string[] = []
  readonly #text: string
  readonly #token: string
  readonly #ours: Group = { rules: new WrittenRules(), delayMs: null }
  readonly #everybodys: Group = { rules: new WrittenRules(), delayMs: null }
  readonly #rulesFor: Addressees = { us: false, all: false }
  readonly #delayFor: Addressees = { us: false, all: false }
  #isNamed = false
  #inRules = false
  #afterDelay = false

  constructor(text: string, productToken: string) {
    this.#text = text
    const token = productToken.split('/', 1)[0]!.trim()
    this.#token = Buffer.from(token).toString('latin1').toLowerCase()
  }

  get group(): Group {
    return this.#isNamed ? this.#ours : this.#everybodys
  }

  rules(lines: Int32Array, from: number, to: number): void {
    this.#inRules = true
    this.#groupOf(this.#rulesFor)?.rules.addAll(lines, from, to)
  }

  directive(kind: DirectiveKind, line: Readonly<Line>): void {
    switch (kind) {
      case 'agent':
        this.#agent(line)
        break
      case 'sitemap':
        if (line.valueStart < line.end) this.sitemaps.push(readable(this.#valueOf(line)))
        break
      case 'delay':
        this.#delay(this.#valueOf(line))
        break
      case 'allow':
      case 'disallow':
        this.#inRules = true
        this.#groupOf(this.#rulesFor)?.rules.add(kind === 'allow', line)
        break
    }
  }

  #valueOf(line: Readonly<Line>): string {
    return this.#text.slice(line.valueStart, line.end)
  }

  /**
   * Consecutive agents share the rules after them; only a rule ends the row, as in the RFC and at Google. A
   * Crawl-delay, which neither defines, applies to the agents directly above it.
   */
  #agent(line: Readonly<Line>): void {
    if (this.#inRules) this.#rulesFor.us = this.#rulesFor.all = false
    if (this.#inRules || this.#afterDelay) this.#delayFor.us = this.#delayFor.all = false
    this.#inRules = this.#afterDelay = false
    // The first letter rejects most agents.
    const first = this.#text.charAt(line.valueStart)
    if (first !== '*' && first.toLowerCase() !== this.#token.charAt(0)) return
    const name = this.#valueOf(line).split(/\s/, 1)[0]!.toLowerCase()
    if (name === '*') this.#rulesFor.all = this.#delayFor.all = true
    else if (isNamedBy(this.#token, name)) this.#rulesFor.us = this.#delayFor.us = this.#isNamed = true
  }

  #delay(value: string): void {
    this.#afterDelay = true
    const seconds = Number.parseFloat(value.replace(',', '.'))
    const group = this.#groupOf(this.#delayFor)
    if (group === null || !(seconds >= 0)) return
    group.delayMs = Math.max(group.delayMs ?? 0, Math.min(seconds * 1000, Number.MAX_SAFE_INTEGER))
  }

  #groupOf(addressees: Addressees): Group | null {
    if (addressees.us) return this.#ours
    return addressees.all ? this.#everybodys : null
  }
}

/** `orbweaver/1.0`, `orbweaver2` and `orbweaver` name the token orbweaver; `orbweaver-news` does not. */
function isNamedBy(token: string, name: string): boolean {
  if (token === '' || !name.startsWith(token)) return false
  const next = name.slice(token.length, token.length + 1)
  return /\d$/.test(token) ? !/[\w-]/.test(next) : !/[a-z_-]/.test(next)
}
