/**
 * The rules of one robots.txt that are meant for us, by RFC 9309 and Google's published behaviour. Where the two differ
 * (`%62` is `b`) the RFC is followed.
 */
import { pathStart } from '../model/url.js'
import { canonicalPath, looseQuery } from './path-form.js'
import { type DirectiveKind, readable, readDirectives } from './robots-lines.js'
import { beats, compileRule, type Rule, RuleIndex } from './rule-index.js'

export interface RobotsVerdict {
  readonly allowed: boolean
  /** The line that decided; absent when none did. */
  readonly line?: { readonly number: number; readonly text: string }
}

const ALLOWED: RobotsVerdict = { allowed: true }

export class RobotsRules {
  readonly #index: RuleIndex | null
  readonly #verdicts = new Map<Rule, RobotsVerdict>()
  readonly #crawlDelayMs: number | null
  readonly #sitemaps: readonly string[]

  private constructor(group: Group, sitemaps: readonly string[]) {
    this.#index = group.rules.length > 0 ? new RuleIndex(group.rules) : null
    this.#crawlDelayMs = group.delayMs
    this.#sitemaps = sitemaps
  }

  /** Any bytes at all. `productToken` is the name of the crawler; a version after a slash is left out. */
  static parse(bytes: Uint8Array, productToken: string): RobotsRules {
    const reading = new Reading(productToken)
    readDirectives(bytes, reading.take)
    return new RobotsRules(reading.group, reading.sitemaps)
  }

  /** `url` is normalised. Called for every URL: nothing is allocated where the path needs no respelling. */
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
    return rule === null ? ALLOWED : this.#verdictOf(rule)
  }

  /** Largest Crawl-delay meant for us; null when there is none. Not bounded. */
  get crawlDelayMs(): number | null {
    return this.#crawlDelayMs
  }

  /** As written, in order; meant for everybody. */
  get sitemaps(): readonly string[] {
    return this.#sitemaps
  }

  #verdictOf(rule: Rule): RobotsVerdict {
    let verdict = this.#verdicts.get(rule)
    if (verdict === undefined) {
      const line = { number: rule.lineNumber, text: readable(rule.text) }
      verdict = { allowed: rule.isAllow, line }
      this.#verdicts.set(rule, verdict)
    }
    return verdict
  }
}

interface Group {
  readonly rules: Rule[]
  delayMs: number | null
}

/** What has been read so far: all groups that name us make one, all groups for everybody another. */
class Reading {
  readonly sitemaps: string[] = []
  readonly #token: string
  readonly #ours: Group = { rules: [], delayMs: null }
  readonly #everybodys: Group = { rules: [], delayMs: null }
  #isNamed = false
  /** Whom the rules that follow are meant for. */
  #forUs = false
  #forAll = false
  #inRules = false

  constructor(productToken: string) {
    this.#token = productToken.split('/', 1)[0]!.trim().toLowerCase()
  }

  get group(): Group {
    return this.#isNamed ? this.#ours : this.#everybodys
  }

  readonly take = (kind: DirectiveKind, value: string, lineNumber: number, text: string): void => {
    switch (kind) {
      case 'agent':
        this.#agent(value)
        break
      case 'sitemap':
        if (value !== '') this.sitemaps.push(readable(value))
        break
      case 'delay':
        this.#delay(value)
        break
      case 'allow':
      case 'disallow':
        this.#inRules = true
        this.#rule(value, kind === 'allow', lineNumber, text)
        break
    }
  }

  /** Agents in a row share the rules after them; only a rule ends the row, as the RFC has it. */
  #agent(value: string): void {
    if (this.#inRules) this.#forUs = this.#forAll = this.#inRules = false
    const name = value.split(/\s/, 1)[0]!.toLowerCase()
    if (name === '*') this.#forAll = true
    else if (isNamedBy(this.#token, name)) this.#forUs = this.#isNamed = true
  }

  #delay(value: string): void {
    const seconds = Number.parseFloat(value)
    const group = this.#current()
    if (group === null || !(seconds >= 0)) return
    group.delayMs = Math.max(group.delayMs ?? 0, Math.min(seconds * 1000, Number.MAX_SAFE_INTEGER))
  }

  #rule(pattern: string, isAllow: boolean, lineNumber: number, text: string): void {
    const group = this.#current()
    if (group === null) return
    const rule = compileRule(pattern, isAllow, lineNumber, text)
    if (rule === null) return
    group.rules.push(rule)
    // Google: who allows the index page allows the directory it stands for.
    const slash = isAllow ? pattern.lastIndexOf('/') : -1
    if (slash < 0 || !pattern.startsWith('/index.htm', slash)) return
    const directory = compileRule(`${pattern.slice(0, slash + 1)}$`, isAllow, lineNumber, text)
    if (directory !== null) group.rules.push(directory)
  }

  #current(): Group | null {
    if (this.#forUs) return this.#ours
    return this.#forAll ? this.#everybodys : null
  }
}

/** `orbweaver/1.0`, `orbweaver2` and `orbweaver` name the token orbweaver; `orbweaver-news` is somebody else. */
function isNamedBy(token: string, name: string): boolean {
  if (token === '' || !name.startsWith(token)) return false
  const next = name.slice(token.length, token.length + 1)
  return /\d$/.test(token) ? !/[\w-]/.test(next) : !/[a-z_-]/.test(next)
}
