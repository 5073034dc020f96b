/**
 * The HTML of a generated page: 12 to 20 KB of stock paragraphs, with the links of the plan in all forms that
 * crawlers follow, and URLs that are not links where careless parsers look for them.
 */

import { SeededRandom } from '../../model/index.js'
import {
  END_BYTES,
  LIST_LINK_BYTES,
  NAV_LINKS,
  PAGE_TEXT_LEAST_BYTES,
  SPREAD_BYTES,
  TEXT_LINKS,
} from '../limits.js'
import type { Authority } from './authority.js'
import type { ByteWriter } from './byte-writer.js'
import { hashOf, Purpose } from './hash.js'
import { HrefWriter } from './href.js'
import { LinkMarkup } from './link-markup.js'
import type { OutLinks } from './out-links.js'
import { decoysOf, footerOf, headOf, type PageFrame, titleOf } from './page-frame.js'
import { WebPath } from './page-path.js'
import type { WebPlan } from './web-plan.js'
import { paragraphsOf, topicWords } from './words.js'

/** The paragraphs and words of a topic, shared by all its pages. */
interface Stock {
  readonly paragraphs: readonly Uint8Array[]
  readonly words: readonly string[]
}

export class PageText {
  readonly #plan: WebPlan
  readonly #authority: Authority
  readonly #stocks: (Stock | undefined)[] = []
  readonly #origins: (string | undefined)[] = []
  readonly #links: OutLinks
  readonly #path = new WebPath()

  constructor(plan: WebPlan, authority: Authority) {
    this.#plan = plan
    this.#authority = authority
    this.#links = plan.newOutLinks()
  }

  /** Appends the page. `version` changes its text, never its links. */
  write(writer: ByteWriter, site: number, page: number, version: number): void {
    const hash = hashOf(this.#plan.seed, Purpose.text, site, page)
    const stock = this.#stockOf(this.#plan.topicOf(site))
    const random = new SeededRandom(hash)
    const frame = this.#frameOf(site, page, version, hash % 64 === 1, stock.words)
    const markup = this.#markupOf(writer, frame, random)
    const end = writer.length + PAGE_TEXT_LEAST_BYTES + random.next() * SPREAD_BYTES
    const inHead = markup.headCount(page, NAV_LINKS)
    writer.text(headOf(frame))
    markup.head(NAV_LINKS, inHead)
    writer.text('</head>\n<body id="top">\n<header><nav><ul>\n')
    for (let i = 0; i < NAV_LINKS; i++) markup.item(i)
    writer.text(`</ul></nav></header>\n<main><article>\n<h1>${titleOf(frame)}</h1>\n`)
    let link = NAV_LINKS + inHead
    const listFrom = Math.min(this.#links.count, link + TEXT_LINKS)
    const textEnd = end - END_BYTES - (this.#links.count - listFrom) * LIST_LINK_BYTES
    // The number of paragraphs is prime, so any stride visits all of them.
    const stride = 1 + (hashOf(hash, Purpose.paragraph, version, 0) % (stock.paragraphs.length - 1))
    for (let at = stride; link < listFrom || writer.length < textEnd; at += stride) {
      writer.text('<p>')
      writer.chunk(stock.paragraphs[at % stock.paragraphs.length])
      if (link < listFrom) markup.inText(link++)
      writer.text('</p>\n')
    }
    writer.text(`${decoysOf(frame)}</article>\n<aside><h2>Related</h2><ul>\n`)
    for (let i = listFrom; i < this.#links.count; i++) markup.item(i)
    writer.text(footerOf(frame))
  }

  #frameOf(
    site: number,
    page: number,
    version: number,
    hasBase: boolean,
    words: readonly string[],
  ): PageFrame {
    const path = this.#path.page(this.#plan.seed, site, page).toString()
    return { site, page, version, hasBase, words, path, origin: this.#originOf(site) }
  }

  #markupOf(writer: ByteWriter, frame: PageFrame, random: SeededRandom): LinkMarkup {
    const { site, page, hasBase, origin } = frame
    const path = this.#path.page(this.#plan.seed, site, page)
    const depth = hasBase ? 0 : path.depth()
    const base = { origin, folder: path.folder, depth, isQuery: !hasBase && path.isQuery() }
    this.#plan.outlinks(site, page, this.#links)
    const hrefs = new HrefWriter(writer, base, random)
    const originOf = (other: number) => this.#originOf(other)
    return new LinkMarkup({ plan: this.#plan, links: this.#links, writer, hrefs, random, originOf })
  }

  #stockOf(topic: number): Stock {
    const known = this.#stocks[topic]
    if (known) return known
    const paragraphs = paragraphsOf(this.#plan.seed, topic).map(text => Buffer.from(`${text} `, 'latin1'))
    const stock = { paragraphs, words: topicWords(topic) }
    this.#stocks[topic] = stock
    return stock
  }

  #originOf(site: number): string {
    const known = this.#origins[site]
    if (known !== undefined) return known
    // A string from a buffer is flat and is read several times faster than a concatenated one.
    const origin = Buffer.from(`http://${this.#authority(site)}`).toString('latin1')
    this.#origins[site] = origin
    return origin
  }
}
