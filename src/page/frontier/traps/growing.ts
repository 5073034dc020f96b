/**
 * Detects URLs that grow with every step. The longest URL of a section is a record; a record found on a page
 * that was a record continues a walk. Normal sections set few records, mostly from other pages.
 */
import { fingerprint, takeFingerprint } from '../../../model/bytes/index.js'
import { pathStart } from '../../../model/url/index.js'

/** Deeper than normal folder trees. */
const STEPS = 24
const SEGMENTS = 26
/** `%25252F`: a URL inside a URL inside a URL. */
const NESTED = '%2525'
/** Concurrent walks that are recognised. */
const RECORDS = 8
const SECTIONS = 64

interface Section {
  longest: number
  steps: number
  readonly records: Uint32Array
  next: number
}

export class GrowingUrls {
  readonly #sections = new Map<string, Section>()

  /** True if a new URL is to be refused; otherwise remembers it. */
  judge(url: string, via: string): boolean {
    if (url.includes(NESTED) || segmentsOf(url) > SEGMENTS) return true
    const section = this.#sectionOf(url)
    if (url.length <= section.longest) return false
    const isStep = via !== '' && url.length > via.length && has(section, via)
    if (isStep && section.steps >= STEPS) return true
    section.longest = url.length
    section.steps = isStep ? section.steps + 1 : Math.max(0, section.steps - 1)
    takeFingerprint(url)
    section.records[section.next++ % RECORDS] = fingerprint.low
    return false
  }

  #sectionOf(url: string): Section {
    const start = pathStart(url) + 1
    const slash = url.indexOf('/', start)
    const name = slash < 0 ? '' : url.slice(start, slash)
    let section = this.#sections.get(name)
    if (section === undefined) {
      // Further sections share one entry, which makes detection slower.
      if (this.#sections.size >= SECTIONS) return this.#sections.get('') ?? this.#add('')
      section = this.#add(name)
    }
    return section
  }

  #add(name: string): Section {
    const section: Section = { longest: 0, steps: 0, records: new Uint32Array(RECORDS), next: 0 }
    // Copied, because a substring would keep the URL's page in memory.
    this.#sections.set(Buffer.from(name).toString(), section)
    return section
  }
}

function has(section: Section, url: string): boolean {
  takeFingerprint(url)
  return section.records.includes(fingerprint.low)
}

function segmentsOf(url: string): number {
  let count = 0
  for (let i = pathStart(url); i < url.length; i++) {
    const c = url.charCodeAt(i)
    if (c === 0x3f) break
    if (c === 0x2f) count++
  }
  return count
}
