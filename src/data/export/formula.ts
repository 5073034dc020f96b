/** Formulas of a page (MathML) as Markdown. */
import { attribute, type Element, walk } from './html-tree.js'

const MATHML = 'http://www.w3.org/1998/Math/MathML'
const TEX = /\btex\b/i

/** Parts of a formula are separated by spaces: 1 over 2 must not become 12. */
export function isFormulaPart({ namespaceURI }: Element): boolean {
  return namespaceURI === MATHML
}

/** `$TeX$`, or `$$TeX$$` for a display formula; null when neither an annotation nor `alttext` has the TeX. */
export function formulaOf(math: Element): string | null {
  const tex = (annotationOf(math) ?? attribute(math, 'alttext') ?? '').replaceAll(/\s+/g, ' ').trim()
  if (tex === '') return null
  const mark = attribute(math, 'display') === 'block' ? '$$' : '$'
  return mark + tex.replaceAll(/(?<!\\)\$/g, '\\$') + mark
}

function annotationOf(math: Element): string | null {
  let found: string | null = null
  let isOpen = false
  walk(math, {
    enter: element => {
      isOpen =
        found === null && element.tagName === 'annotation' && TEX.test(attribute(element, 'encoding') ?? '')
      return true
    },
    leave: () => {
      isOpen = false
    },
    text: value => {
      if (isOpen) found = (found ?? '') + value
    },
  })
  return found
}
