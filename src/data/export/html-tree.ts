/** Pages as trees, for the export. */
import { normaliseUrl } from '../../model/url/index.js'
import { attribute, type ParentNode, walk } from '../../page/parse/tree/index.js'

export { attribute, type Element, type ParentNode, parseBounded, walk } from '../../page/parse/tree/index.js'

/** What relative links resolve against: the first <base> that has a URL, for links before it too. */
export function baseOf(document: ParentNode, pageUrl: string): string {
  let base: string | null = null
  walk(document, {
    enter: element => {
      const href = base === null && element.tagName === 'base' ? attribute(element, 'href') : undefined
      if (href !== undefined) base = normaliseUrl(href, pageUrl)
      return base === null
    },
  })
  return base ?? pageUrl
}
