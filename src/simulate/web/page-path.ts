/**
 * Paths of the generated web, in the normalised form that a crawler must get, and the way back. A path is a
 * function of (seed, site, page): to read one, its number is taken out and the path is made again.
 */
import { hashOf, Purpose } from './hash.js'
import { SECTIONS, SLUGS } from './words.js'

/**
 * What a path of a site stands for. `gone`, `decoy` and `stray` are answered with 404; only `gone` has links.
 */
export type Place =
  | {
      readonly is: 'page' | 'alias' | 'alias-step' | 'object' | 'forbidden' | 'sitemap'
      readonly number: number
    }
  | { readonly is: 'robots' | 'requisite' | 'gone' | 'decoy' | 'stray' }

export const FORBIDDEN_FOLDER = '/private/'
export const DECOY_FOLDER = '/decoy/'
export const OBJECT_TYPES = ['txt', 'pdf', 'png', 'css', 'json'] as const
const OBJECT_TAILS = OBJECT_TYPES.map(type => `.${type}`)
const REQUISITES = ['site.css', 'app.js', 'pic-0.png', 'pic-1.png', 'pic-2.png', 'pic-3.png']

/** A form of page paths; the URL parser turns `respelled` stems into `stems`. */
interface PathForm {
  readonly stems: readonly string[]
  readonly respelled?: readonly string[]
  readonly tail: string
}

const FLAT: PathForm = { stems: SLUGS.map(slug => `${slug}-`), tail: '.html' }
const FOLDER: PathForm = { stems: SLUGS.map(slug => `${slug}/`), tail: '/' }
const QUERY: PathForm = { stems: ['view?id='], tail: '&lang=en' }
const BARE: PathForm = { stems: SLUGS, tail: '' }
const ACCENT: PathForm = {
  stems: ['caf%C3%A9-', 'r%C3%A9sum-'],
  respelled: ['caf\u00c3\u00a9-', 'r&eacute;sum-'],
  tail: '.html',
}
const SPACE: PathForm = {
  stems: SLUGS.map(slug => `${slug}%20notes-`),
  respelled: SLUGS.map(slug => `${slug} notes-`),
  tail: '.html',
}
const FORMS = [
  ...Array<PathForm>(14).fill(FLAT),
  ...Array<PathForm>(6).fill(FOLDER),
  ...Array<PathForm>(5).fill(QUERY),
  ...Array<PathForm>(5).fill(BARE),
  ACCENT,
  SPACE,
]
const FOLDERS = SECTIONS.map(section => `/${section}/`)

/** A path in pieces: folder, stem, number, tail. One object is set again for each link. */
export class WebPath {
  folder = '/'
  stem = ''
  /** Another spelling of the stem, if there is one. */
  respelled = ''
  /** -1 for the home page, which only has a folder. */
  number = -1
  tail = ''

  page(seed: number, site: number, page: number): this {
    if (page === 0) return this.#set('/', '', -1, '')
    const hash = hashOf(seed, Purpose.path, site, page)
    const form = FORMS[hash & 31]
    const stem = (hash >>> 5) % form.stems.length
    // Neighbours share a folder, so that relative links and splits by path occur.
    const folder = FOLDERS[hashOf(seed, Purpose.section, site, page >>> 5) % FOLDERS.length]
    this.#set(folder, form.stems[stem], page, form.tail)
    if (form.respelled !== undefined) this.respelled = form.respelled[stem]
    return this
  }

  alias(page: number): this {
    return this.#set('/go/', '', page, '')
  }

  aliasStep(page: number): this {
    return this.#set('/go/', '', page, '/on')
  }

  object(number: number): this {
    return this.#set('/files/', 'doc-', number, OBJECT_TAILS[number % OBJECT_TAILS.length])
  }

  forbidden(number: number): this {
    return this.#set(FORBIDDEN_FOLDER, '', number, '.html')
  }

  gone(number: number): this {
    return this.#set('/gone/', '', number, '.html')
  }

  sitemap(part: number): this {
    return part === 0 ? this.#set('/', 'sitemap.xml', -1, '') : this.#set('/', 'sitemap-', part, '.xml')
  }

  toString(): string {
    return this.number < 0 ? this.folder + this.stem : this.folder + this.stem + this.number + this.tail
  }

  isQuery(): boolean {
    return this.tail === QUERY.tail
  }

  /** The depth of the folder from which relative links start. */
  depth(): number {
    if (this.number < 0) return 0
    return this.tail === FOLDER.tail ? 3 : 1
  }

  #set(folder: string, stem: string, number: number, tail: string): this {
    this.folder = folder
    this.stem = stem
    this.respelled = stem
    this.number = number
    this.tail = tail
    return this
  }
}

const scratch = new WebPath()

export function pagePath(seed: number, site: number, page: number): string {
  return scratch.page(seed, site, page).toString()
}

/** What `target` looks like; the plan knows whether that page or object exists. */
export function readPath(seed: number, site: number, target: string): Place {
  const number = lastNumber(target)
  if (number > 0 && pagePath(seed, site, number) === target) return { is: 'page', number }
  if (target === '/') return { is: 'page', number: 0 }
  if (target.includes(DECOY_FOLDER)) return { is: 'decoy' }
  if (target === '/robots.txt') return { is: 'robots' }
  if (target === '/sitemap.xml') return { is: 'sitemap', number: 0 }
  if (target.startsWith('/assets/'))
    return { is: REQUISITES.includes(target.slice(8)) ? 'requisite' : 'stray' }
  if (number < 0) return { is: 'stray' }
  if (target === scratch.alias(number).toString()) return { is: 'alias', number }
  if (target === scratch.aliasStep(number).toString()) return { is: 'alias-step', number }
  if (target === scratch.object(number).toString()) return { is: 'object', number }
  if (target === scratch.forbidden(number).toString()) return { is: 'forbidden', number }
  if (target === scratch.gone(number).toString()) return { is: 'gone' }
  if (number > 0 && target === scratch.sitemap(number).toString()) return { is: 'sitemap', number }
  return { is: 'stray' }
}

/** The last run of digits as a number; -1 if there is none or it is too long. */
function lastNumber(target: string): number {
  let end = target.length
  while (end > 0 && !isDigit(target.charCodeAt(end - 1))) end--
  let start = end
  while (start > 0 && isDigit(target.charCodeAt(start - 1))) start--
  return start === end || end - start > 10 ? -1 : Number(target.slice(start, end))
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}
