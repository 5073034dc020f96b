/** The tags that matter to a crawler, and the traits of each. */
import { NameTable, TAG_CODES } from './names.js'

/** A tag without any of these traits is skipped. */
export const Trait = {
  /** Its attributes hold links or facts. */
  facts: 1,
  /** Its attributes hold page requisites. */
  requisites: 2,
  /** Its content is raw text up to its end tag. */
  raw: 4,
  /** It changes how the parser reads what follows. */
  structure: 8,
  /** Line breaks stand before and after its text. */
  block: 16,
  /** At least a space stands before and after its text. */
  cell: 32,
  /** Its text is boilerplate: menus, side bars, controls. */
  boilerplate: 64,
  /** In svg it neither contains HTML nor ends svg. */
  svg: 128,
  /** The same in math. */
  math: 256,
  /** In svg or math its content is HTML again (an integration point); only text is understood there. */
  htmlInside: 512,
  /** Whether it ends an open select depends on the tables around it. */
  tablePart: 1024,
  /** Its role attribute can matter to the text. */
  role: 2048,
  /** A marker for formatting elements: those before it survive a template that ends inside it. */
  marker: 4096,
} as const

const NAMES = ['']
const TRAITS = [0]

function define(names: string, traits: number): number {
  const first = NAMES.length
  for (const name of names.split(' ')) {
    const known = NAMES.indexOf(name)
    if (known > 0) TRAITS[known]! |= traits
    else {
      NAMES.push(name)
      TRAITS.push(traits)
    }
  }
  return first
}

const T = Trait
/** Numbers of the tags, for those that code names. */
export const Tag = {
  a: define('a', T.facts),
  area: define('area', T.facts),
  html: define('html', T.facts),
  base: define('base', T.facts),
  link: define('link', T.facts),
  meta: define('meta', T.facts),
  iframe: define('iframe', T.facts | T.raw),
  frame: define('frame', T.facts),
  frameset: define('frameset', T.structure),
  img: define('img', T.requisites),
  image: define('image', T.requisites | T.svg),
  script: define('script', T.requisites | T.raw),
  source: define('source', T.requisites),
  video: define('video', T.requisites),
  audio: define('audio', T.requisites),
  track: define('track', T.requisites),
  embed: define('embed', T.requisites),
  object: define('object', T.requisites),
  input: define('input', T.requisites),
  title: define('title', T.raw | T.svg | T.htmlInside),
  style: define('style', T.raw | T.svg),
  textarea: define('textarea', T.raw | T.cell),
  xmp: define('xmp', T.raw | T.block),
  noembed: define('noembed', T.raw),
  noframes: define('noframes', T.raw),
  plaintext: define('plaintext', T.structure | T.block),
  template: define('template', T.structure),
  select: define('select', T.structure | T.cell),
  keygen: define('keygen', 0),
  option: define('option', 0),
  optgroup: define('optgroup', 0),
  hr: define('hr', T.block),
  svg: define('svg', T.structure | T.svg),
  math: define('math', T.structure | T.math),
  annotation: define('annotation', T.math),
  col: define('col', 0),
  colgroup: define('colgroup', 0),
  br: define('br', T.block),
  pre: define('pre', T.block),
  main: define('main', T.block | T.boilerplate | T.role),
  article: define('article', T.block | T.boilerplate | T.role),
  section: define('section', T.block | T.boilerplate | T.role),
  header: define('header', T.block | T.boilerplate | T.role),
  footer: define('footer', T.block | T.boilerplate | T.role),
  nav: define('nav', T.block | T.boilerplate),
  button: define('button', T.cell | T.boilerplate),
} as const

define('aside menu noscript datalist', T.block | T.boilerplate)
define('div ul ol dl table form', T.block | T.role)
define('p h1 li dt dd tr caption blockquote figure figcaption address fieldset legend', T.block)
define('details summary dialog hgroup search center dir listing body optgroup option', T.block)
define('td th', T.cell)
define('applet marquee object', T.marker)
define('caption table tbody tfoot thead tr td th', T.tablePart)
define(
  'g path circle ellipse line polyline polygon rect text tspan textpath defs symbol use marker mask',
  T.svg,
)
define('clippath pattern lineargradient radialgradient stop filter metadata switch view animate set', T.svg)
define(
  'animatetransform animatemotion feblend fecolormatrix fecomposite feflood fegaussianblur femerge',
  T.svg,
)
define('femergenode feoffset fetile femorphology feturbulence fedropshadow', T.svg)
define('desc', T.svg | T.htmlInside)
define(
  'mrow mfrac msqrt mroot mstyle merror mpadded mphantom mfenced menclose msub msup msubsup munder',
  T.math,
)
define('mover munderover mmultiscripts mprescripts none mtable mtr mtd mlabeledtr maligngroup mspace', T.math)
define('maction semantics', T.math)
define('mi mn mo ms mtext', T.math | T.htmlInside)

export const TAG_TRAITS = Uint16Array.from(TRAITS)
export const TAG_NAMES: readonly string[] = NAMES

export function createTagTable(): NameTable {
  return new NameTable(NAMES, TAG_CODES)
}

/** The number of a tag by its lower-case name; 0 for other tags. */
export function tagNumber(name: string): number {
  return NUMBERS.get(name) ?? 0
}
const NUMBERS = new Map(NAMES.map((name, number) => [name, number]))

/**
 * A filter for tags with one of `traits`: bit n of the entry for a first letter (in either case) is set if
 * some such tag has n letters. It rejects most tags before their names are compared.
 */
export function createSieve(traits: number): Int32Array {
  const sieve = new Int32Array(256)
  for (let number = 1; number < NAMES.length; number++) {
    if ((TRAITS[number]! & traits) === 0) continue
    const first = NAMES[number]!.charCodeAt(0)
    sieve[first]! |= 1 << NAMES[number]!.length
    sieve[first - 0x20]! |= 1 << NAMES[number]!.length
  }
  return sieve
}
