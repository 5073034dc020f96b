/**
 * Writes the elements that contain a page's links: mostly anchors, sometimes an area, a frame or a head link.
 */
import type { Random } from '../../model/index.js'
import type { ByteWriter } from './byte-writer.js'
import type { HrefWriter } from './href.js'
import type { OutLinks } from './out-links.js'
import { DECOY_FOLDER, WebPath } from './page-path.js'
import type { WebPlan } from './web-plan.js'
import { SLUGS } from './words.js'

const ANCHOR_ENDS = SLUGS.map((word, i) => `>${word} ${SLUGS[(i * 7 + 3) % SLUGS.length]}</a>`)

interface Parts {
  readonly plan: WebPlan
  readonly links: OutLinks
  readonly writer: ByteWriter
  readonly hrefs: HrefWriter
  readonly random: Random
  readonly originOf: (site: number) => string
}

export class LinkMarkup {
  readonly #parts: Parts
  readonly #path = new WebPath()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** How many links after `from` may be in the head. Links that make pages reachable must be in `<a>`. */
  headCount(page: number, from: number): number {
    if (page % 4 !== 2 || this.#isBackbone(from) || this.#isBackbone(from + 1)) return 0
    return page % 32 === 2 && !this.#isBackbone(from + 2) ? 3 : 2
  }

  /** Writes the first `count` of next, prev and refresh. */
  head(from: number, count: number): void {
    if (count === 0) return
    this.#element('<link rel="next"', ' href=', from, '>\n')
    this.#element('<link rel=prev', ' href=', from + 1, '>\n')
    if (count < 3) return
    const path = this.#parts.plan
      .linkPath(this.#parts.links, from + 2, this.#path)
      .toString()
      .replace('&', '&amp;')
    const url = this.#parts.originOf(this.#parts.links.site[from + 2]) + path
    this.#parts.writer.text(`<meta http-equiv="Refresh" content="900; URL=${url}">\n`)
  }

  item(index: number): void {
    this.#parts.writer.text('<li>')
    this.#anchor(index, this.#parts.random.next())
    this.#parts.writer.text('\n')
  }

  /** Writes a link in the text; a few are not anchors. */
  inText(index: number): void {
    const roll = this.#parts.random.next()
    if (roll < 0.97 || this.#isBackbone(index)) this.#anchor(index, roll)
    else if (roll < 0.985) {
      this.#element('<map name="m"><area shape="default"', ' href=', index, ' alt="map"></map>')
    } else this.#element('<iframe title="frame"', ' src=', index, '></iframe>')
  }

  #isBackbone(index: number): boolean {
    return this.#parts.links.backbone[index] === 1
  }

  #anchor(index: number, roll: number): void {
    const end = ANCHOR_ENDS[Math.floor(roll * 1_000_003) % ANCHOR_ENDS.length]
    if (roll < 0.84) this.#element('<a', ' href=', index, end)
    else if (roll < 0.88) this.#element('<a class="ext"', ' href=', index, ` title="5 > 3"${end}`)
    else if (roll < 0.91) this.#element('<A', ' HREF=', index, '><b>More</b></A>')
    else if (roll < 0.94) this.#element('<a', '\n  href = ', index, end)
    else if (roll < 0.97 && !this.#isBackbone(index)) this.#element('<a rel=nofollow', ' href=', index, end)
    else this.#element(`<a data-href="${DECOY_FOLDER}d.html"`, ' href=', index, end)
  }

  #element(start: string, attribute: string, index: number, end: string): void {
    this.#parts.writer.text(start)
    const path = this.#parts.plan.linkPath(this.#parts.links, index, this.#path)
    this.#parts.hrefs.write(attribute, this.#parts.originOf(this.#parts.links.site[index]), path)
    this.#parts.writer.text(end)
  }
}
