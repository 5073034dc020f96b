/**
 * Makes XHTML readable for an HTML parser. In XML `<script src="x"/>` is an empty element; in HTML it starts
 * a script that swallows the page. The few tags that change how the following text is read get an end tag.
 */
const NAMES = new Set(
  'script style title textarea iframe noembed noframes noscript xmp plaintext template select'.split(' '),
)
const NAME_CHARS = 10

/** The page with those tags closed; the same buffer if there are none. `page` is valid UTF-8. */
export function closeEmptyTags(page: Buffer): Buffer {
  const text = page.latin1Slice(0, page.length)
  let closed = ''
  let done = 0
  let from = 0
  for (let end = text.indexOf('/>'); end >= 0; end = text.indexOf('/>', from)) {
    const name = tagNameBefore(text.slice(from, end))
    from = end + 2
    if (!NAMES.has(name)) continue
    closed += `${text.slice(done, end)}></${name}>`
    done = from
  }
  return done === 0 ? page : Buffer.from(closed + text.slice(done), 'latin1')
}

/**
 * Name of the tag that is still open at the end of `text`; empty inside a value (XML allows no `<` in
 * values).
 */
function tagNameBefore(text: string): string {
  const start = text.lastIndexOf('<') + 1
  if (start === 0) return ''
  const name = /^[a-z]+/.exec(text.slice(start, start + NAME_CHARS))?.[0] ?? ''
  return NAMES.has(name) && isOutsideQuotes(text, start) ? name : ''
}

function isOutsideQuotes(text: string, from: number): boolean {
  let quote = ''
  for (let i = from; i < text.length; i++) {
    const c = text[i]!
    if (quote === '') {
      if (c === '"' || c === "'") quote = c
    } else if (c === quote) quote = ''
  }
  return quote === ''
}
