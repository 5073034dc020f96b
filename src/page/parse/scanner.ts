/**
 * Reads a page once and collects links, facts and text without building a tree. It follows the WHATWG
 * tokenizer exactly, but of tree construction only what decides whether a start tag becomes an element: raw
 * text, template, select, svg and math. Where more would matter, `understood` becomes false, and the page is
 * parsed again by the full parser unless it is too large for that.
 */
import { LinkKind } from '../../model/index.js'
import { type Findings, Rel, relFlags } from './links/index.js'
import {
  commentEnd,
  Found,
  nextTag,
  type PageMemory,
  rawTextEnd,
  scriptEnd,
  type TagTables,
} from './memory/index.js'
import { Nesting } from './nesting.js'
import {
  Attribute,
  AttributeSlots,
  createSieve,
  createTagTable,
  TAG_NAMES,
  TAG_TRAITS,
  Tag,
  Trait,
} from './tags/index.js'
import { createTextTags, readTitle, type TextRanges } from './text/index.js'

/** What a character after '<' begins; 0 is text. */
const AFTER_BRACKET = new Uint8Array(256)
const Markup = { startTag: 1, endTag: 2, declaration: 3, bogus: 4 } as const
for (let c = 0; c < 26; c++) AFTER_BRACKET[0x41 + c] = AFTER_BRACKET[0x61 + c] = Markup.startTag
AFTER_BRACKET[0x2f] = Markup.endTag
AFTER_BRACKET[0x21] = Markup.declaration
AFTER_BRACKET[0x3f] = Markup.bogus

const READ_ALWAYS = Trait.facts | Trait.raw | Trait.structure
const READ_FOR_TEXT = Trait.block | Trait.cell | Trait.boilerplate | Trait.role

const NOTHING: Buffer = Buffer.alloc(0)

const tables = new Map<number, TagTables>()
function tablesFor(traits: number): TagTables {
  let found = tables.get(traits)
  if (found === undefined) {
    found = { sieve: createSieve(traits), textTags: createTextTags(traits) }
    tables.set(traits, found)
  }
  return found
}

export class Scanner {
  readonly #tags = createTagTable()
  readonly #attributes = new AttributeSlots()
  readonly #nesting = new Nesting()
  #memory!: PageMemory
  #bytes = NOTHING
  #length = 0
  #findings!: Findings
  #text: TextRanges | null = null
  /** Tags with one of these traits are read; all others are skipped. */
  #wanted = 0

  /**
   * Scans the `length` bytes of the page in `memory`. True if a full HTML parser would surely find the same.
   */
  scan(memory: PageMemory, length: number, findings: Findings, text: TextRanges | null): boolean {
    const { bytes } = memory
    this.#memory = memory
    this.#bytes = bytes
    this.#length = length
    this.#findings = findings
    this.#text = text
    this.#attributes.attach(bytes)
    this.#nesting.reset()
    this.#wanted =
      READ_ALWAYS | (text === null ? 0 : READ_FOR_TEXT) | (findings.wantRequisites ? Trait.requisites : 0)
    memory.attach(tablesFor(this.#wanted))
    this.#run()
    this.#bytes = NOTHING
    this.#attributes.attach(NOTHING)
    // Which of several bases comes first in the tree depends on their places.
    return this.#nesting.understood && findings.bases < 2
  }

  #run(): void {
    const bytes = this.#bytes
    const length = this.#length
    let textStart = 0
    let i = 0
    for (;;) {
      if (!this.#nesting.ordinary) i = nextTag(this.#memory, i)
      else {
        i = this.#next(i)
        if (this.#text !== null) textStart = this.#memory.results[Found.textStart]!
      }
      if (i >= length) break
      const markup = AFTER_BRACKET[bytes[i + 1]!]!
      if (markup === 0) {
        i++
        continue
      }
      if (this.#text !== null && i > textStart && this.#nesting.readable) this.#text.add(bytes, textStart, i)
      if (markup === Markup.startTag) i = this.#startTag(i + 1)
      else if (markup === Markup.endTag) i = this.#endTag(i + 2)
      else if (markup === Markup.declaration) i = this.#declaration(i + 2)
      else i = this.#bogusComment(i + 2)
      if (i >= length) return
      textStart = i
    }
    if (this.#text !== null && length > textStart && this.#nesting.readable)
      this.#text.add(bytes, textStart, length)
  }

  /** The next tag to be read; takes over the anchors that the module found on the way. */
  #next(from: number): number {
    const memory = this.#memory
    const length = this.#length
    const next =
      this.#text === null ? memory.wasm.nextOfInterest(from, length) : this.#text.find(memory, from, length)
    const anchors = memory.results[Found.anchors]!
    if (anchors > 0) this.#findings.links.addFound(memory, anchors)
    return next
  }

  /**
   * This and the next methods take the position of the name, or after `<!`, and return the start of the next
   * token.
   */
  #startTag(at: number): number {
    const bytes = this.#bytes
    const ordinary = this.#nesting.ordinary
    const nameEnd = this.#tags.read(bytes, at)
    const tag = this.#tags.found
    const traits = TAG_TRAITS[tag]!
    const wanted = traits & this.#wanted
    if (wanted === 0 && ordinary) return this.#attributes.skip(nameEnd)
    const reads = (wanted & (Trait.facts | Trait.requisites | Trait.role)) !== 0
    const end = reads ? this.#attributes.read(nameEnd) : this.#attributes.skip(nameEnd)
    // The page ends inside the tag, so there is no such tag.
    if (end > this.#length) return end
    if (!this.#nesting.open(tag, traits, this.#attributes.selfClosing)) {
      // Parts of a formula are set apart: the half in `1<mfrac>` must not become 12.
      if (this.#nesting.readable) this.#text?.setApart()
      return end
    }
    if ((wanted & (Trait.facts | Trait.requisites)) !== 0 && !this.#nesting.inert) this.#collect(tag)
    if (tag === Tag.plaintext) return this.#length
    if (this.#text !== null && ordinary)
      this.#text.open(tag, traits, reads ? this.#attributes.text(Attribute.role) : null)
    return (traits & Trait.raw) === 0 ? end : this.#rawText(tag, end)
  }

  #endTag(at: number): number {
    const bytes = this.#bytes
    const markup = AFTER_BRACKET[bytes[at]!]
    if (markup !== Markup.startTag) return bytes[at] === 0x3e ? at + 1 : this.#bogusComment(at)
    const nameEnd = this.#tags.read(bytes, at)
    const tag = this.#tags.found
    const end = bytes[nameEnd] === 0x3e ? nameEnd + 1 : this.#attributes.skip(nameEnd)
    if (end > this.#length) return end
    if (!this.#nesting.ordinary) this.#nesting.close(tag, TAG_TRAITS[tag]!)
    else if (this.#text !== null) this.#text.close(tag, TAG_TRAITS[tag]!)
    return end
  }

  #declaration(at: number): number {
    const bytes = this.#bytes
    if (bytes[at] === 0x2d && bytes[at + 1] === 0x2d) return commentEnd(bytes, at + 2, this.#length)
    if (bytes[at] === 0x5b && this.#nesting.foreign && bytes.latin1Slice(at, at + 7) === '[CDATA[') {
      this.#nesting.cdata()
      const end = bytes.indexOf(']]>', at + 7, 'latin1')
      return end < 0 ? this.#length : end + 3
    }
    return this.#bogusComment(at)
  }

  #bogusComment(at: number): number {
    let i = at
    while (this.#bytes[i] !== 0x3e) i++
    return i + 1
  }

  #collect(tag: number): void {
    const attributes = this.#attributes
    if (tag === Tag.a || tag === Tag.area) {
      const start = attributes.start(Attribute.href)
      if (start < 0) return
      const rel = attributes.text(Attribute.rel)
      const nofollow = rel !== null && (relFlags(rel) & Rel.nofollow) !== 0 ? LinkKind.nofollow : 0
      this.#findings.links.addRange(start, attributes.end(Attribute.href), LinkKind.anchor | nofollow)
    } else if (tag !== Tag.frame || this.#nesting.frames) this.#findings.collect(tag, attributes)
  }

  #rawText(tag: number, from: number): number {
    const bytes = this.#bytes
    const end =
      tag === Tag.script
        ? scriptEnd(this.#memory, from, this.#length)
        : rawTextEnd(this.#memory, from, this.#length, TAG_NAMES[tag]!)
    if (tag === Tag.title && !this.#findings.titled && !this.#nesting.inert) {
      this.#findings.titled = true
      this.#findings.title = readTitle(bytes, from, end)
    }
    return end
  }
}
