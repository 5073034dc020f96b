/**
 * URLs as the tables show them. Tables are shared, so a short digest replaces the values of parameters that
 * give access, and different values stay different. Frontier, archive and index keep the URL itself, because
 * it is requested again.
 */
import { hash } from 'node:crypto'
import type { PageRow } from '../../../model/index.js'
import type { PageLinks } from './link-rows.js'

/** Whole names only: `?author=7` and `?tokens=all` are not credentials. */
const SECRET =
  /([?&;](?:(?:[a-z]+[_-]?)?token|(?:client[_-]?)?secret|api[_-]?key|passw(?:or)?d|pwd|jwt|authorization|credentials?)=)([^&#;]+)/gi
const DIGEST_LETTERS = 8

export function tableUrl(url: string): string {
  // Most URLs have no query, and this runs for every link.
  const query = url.indexOf('?')
  if (query < 0) return url
  const shown = url
    .slice(query)
    .replaceAll(SECRET, (_, name: string, value: string) => name + replacement(value))
  return url.slice(0, query) + shown
}

/** Begins with a tilde, to be recognised as a replacement. */
function replacement(value: string): string {
  return `~${hash('sha1', value, 'hex').slice(0, DIGEST_LETTERS)}`
}

export function tableRow(row: PageRow): PageRow {
  const { url, via, canonical, redirect } = row
  if (![url, via, canonical, redirect].some(text => text.includes('?'))) return row
  return {
    ...row,
    url: tableUrl(url),
    via: tableUrl(via),
    canonical: tableUrl(canonical),
    redirect: tableUrl(redirect),
  }
}

export function tableLinks(links: PageLinks): PageLinks {
  if (!links.targets.some(target => target.includes('?'))) return links
  return { targets: links.targets.map(tableUrl), kinds: links.kinds }
}
