/**
 * The web that `escapes.folder.gz` was crawled from: one site whose links spell the same page in several
 * ways. The crawl was made by the version of 2026-11-18 (commit 234bc40), the last that kept percent-escapes
 * as they are written, with `crawl SEED --scope prefix --max-pages 4`. This web must stay as it is: the
 * resumed crawl fetches the rest of it.
 */
import { page, SmallWeb } from '../kit/small-web.js'
import { listenOn } from './fixtures.js'

/** The crawl directory remembers it. */
const PORT = 18_620
const HOST = 'owl.test'

/** In the spelling that the old crawl was given. */
export const SEED = `http://${HOST}/%7eu/`

/** By path, decoded: the links of each page as they are written. */
const LINKS: Readonly<Record<string, readonly string[]>> = {
  '/~u/': ['%66oo', '%62ar', '/%7Eu/baz', 'caf%c3%a9', '%6beep', 'keep', '/%7eu/two%2fparts', 'last'],
  '/~u/foo': ['bar', '/~u/'],
  '/~u/bar': ['foo', 'new%2d1'],
  '/~u/baz': ['caf%C3%A9'],
  '/~u/café': ['new-1', 'new%2D2'],
  '/~u/keep': [],
  '/~u/two%2Fparts': ['two/parts'],
  '/~u/two/parts': [],
  '/~u/new-1': [],
  '/~u/new-2': [],
  '/~u/last': ['%66%6F%6F', '%6Beep', 'b%61z', 'new-2', './%2e%2e/%7eu/'],
}

/** Pages of the web, in normal form. */
export const PAGES = Object.keys(LINKS).map(path => `http://${HOST}${path.replace('é', '%C3%A9')}`)

/** What a server sees: escapes are decoded, but for a slash that is part of a name. */
function decoded(path: string): string {
  return decodeURIComponent(path.replace(/%2f/gi, '%252F'))
}

export function serveEscapes(): Promise<SmallWeb> {
  const site = (path: string) => {
    const links = LINKS[decoded(path)]
    if (links === undefined) return null
    const headers = { etag: `"${Buffer.from(decoded(path)).toString('hex')}"` }
    return { headers, body: page(decoded(path), 'Some words.', links) }
  }
  return listenOn(PORT, port => SmallWeb.listen({ [HOST]: site }, 0, port))
}
