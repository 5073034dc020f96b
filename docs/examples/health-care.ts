/**
 * Health-care pages by keywords, as in the paper on migrating crawlers. Of a relevant page, its text is kept;
 * of one that is all about the subject, the page itself. All links are followed.
 *
 *   orbweaver crawl https://example.org/ --keywords flu,vaccine,hospital --guest docs/examples/health-care.ts
 */
import { defineGuest, type Facts } from 'orbweaver'

type Keyword = 'flu' | 'vaccine' | 'hospital'

interface Relevance {
  [field: string]: string | number
  title: string
  matches: number
  /** Matches in a thousand bytes of text. */
  density: number
}

const densityOf = ({ matches, textBytes }: Facts) => (1_000 * matches) / Math.max(1, textBytes)

export default defineGuest<Facts<Keyword>, Relevance>({
  select(facts) {
    if (facts.matches < 3) return 'none'
    return densityOf(facts) > 5 ? 'page' : 'text'
  },
  extract(page) {
    return { title: page.title, matches: page.matches, density: densityOf(page) }
  },
  score: url => (url.includes('health') ? 1 : 0),
})
