/** The hooks of a user: in a module, or as functions if one agent crawls in the same thread. */
import { pathToFileURL } from 'node:url'
import type { ParsedPage } from '../../../model/index.js'

/** A page as hooks and the library see it. */
export interface CrawledPage {
  readonly url: string
  readonly status: number
  readonly depth: number
  readonly fetchedAt: number
  readonly fetchMs: number
  readonly mime: string
  readonly charset: string
  readonly title: string
  readonly description: string
  readonly language: string
  readonly canonical: string
  readonly links: readonly string[]
  /** Main text. */
  readonly text: string
  /** The decoded body. */
  readonly body: Buffer
}

/** An exception of a hook is logged and counted as `HOOK_FAILED`; the crawl goes on. */
export interface Hooks {
  /** False or an exception keeps a URL out of the crawl. Called for every new link, so it must be fast. */
  readonly accept?: (url: string) => boolean
  /** 0 to 1; higher is fetched sooner within its site. An exception keeps the URL out. */
  readonly score?: (url: string) => number
  /** Gets every fetched page after it was put into the pack; the crawl waits for it. */
  readonly onPage?: (page: CrawledPage) => void | Promise<void>
}

export const HOOK_NAMES = ['accept', 'score', 'onPage'] as const satisfies (keyof Hooks)[]

export async function loadHooks(path: string, resolve: (path: string) => string): Promise<Hooks> {
  const module: Record<string, unknown> = await import(pathToFileURL(resolve(path)).href)
  const hooks: Record<string, unknown> = {}
  for (const name of HOOK_NAMES) {
    if (module[name] === undefined) continue
    if (typeof module[name] !== 'function') throw new TypeError(`${name} in ${path} is not a function`)
    hooks[name] = module[name]
  }
  if (Object.keys(hooks).length === 0) throw new TypeError(`${path} exports none of ${HOOK_NAMES.join(', ')}`)
  return hooks as Hooks
}

export function crawledPage(
  page: ParsedPage,
  facts: Pick<CrawledPage, 'url' | 'status' | 'depth' | 'fetchedAt' | 'fetchMs' | 'body'>,
): CrawledPage {
  // Copy the text: the parser reuses its bytes for the next page.
  const bytes = Buffer.from(page.text)
  let text: string | undefined
  return {
    ...facts,
    mime: page.mime,
    charset: page.charset,
    title: page.title,
    description: page.description,
    language: page.language,
    canonical: page.canonical,
    links: page.links,
    get text() {
      text ??= bytes.toString('utf8')
      return text
    },
  }
}
