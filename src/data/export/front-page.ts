/**
 * The entry to an exported folder: `index.html` lists the hosts, `_pages/` every page, a thousand to a list.
 */
import { number } from '../../model/index.js'
import type { ExportIndex, WrittenPage } from './export-index.js'
import { relativeHref } from './file-names.js'
import type { Folder } from './target.js'

/** Entries of one list; a browser shows more only slowly. */
const ENTRIES = 1_000

interface Host {
  readonly name: string
  /** The home page of the host, or else its first page. */
  home: string
  pages: number
  /** Number of the list it begins in. */
  readonly list: number
}

export async function writeFrontPage(folder: Folder, index: ExportIndex): Promise<void> {
  const hosts: Host[] = []
  let hostCount = 0
  let total = 0
  let list = 1
  let entries: WrittenPage[] = []
  let last = ''
  for (const page of index.written()) {
    if (entries.length === ENTRIES) {
      await folder.write(listPath(list), listPage(entries, list++, true))
      entries = []
    }
    const name = page.path.slice(0, page.path.indexOf('/'))
    if (name !== last) {
      last = name
      if (++hostCount <= ENTRIES) hosts.push({ name, home: page.path, pages: 0, list })
    }
    if (hostCount <= ENTRIES) countIn(hosts[hosts.length - 1], page)
    entries.push(page)
    total++
  }
  if (entries.length > 0) await folder.write(listPath(list), listPage(entries, list, false))
  await folder.write('index.html', indexPage(hosts, hostCount, total))
}

function countIn(host: Host, page: WrittenPage): void {
  host.pages++
  if (page.path === `${host.name}/index.html`) host.home = page.path
}

const listPath = (number: number) => `_pages/${number}.html`

function indexPage(hosts: readonly Host[], hostCount: number, total: number): string {
  const rows = hosts.map(
    host =>
      `<li><a href="${relativeHref('index.html', host.home)}">${escapeHtml(host.name)}</a> ` +
      `(<a href="${listPath(host.list)}">${number(host.pages)} ${host.pages === 1 ? 'file' : 'files'}</a>)`,
  )
  const more =
    hostCount > hosts.length ? `<p>and ${number(hostCount - hosts.length)} more hosts in the lists` : ''
  const all = total === 0 ? '' : `<p><a href="${listPath(1)}">All ${number(total)} files</a>`
  return document('Exported pages', `${all}\n<ul>\n${rows.join('\n')}\n</ul>\n${more}`)
}

function listPage(entries: readonly WrittenPage[], list: number, isMore: boolean): string {
  const lines: string[] = []
  let last = ''
  for (const { path, url, title } of entries) {
    const host = path.slice(0, path.indexOf('/'))
    if (host !== last) lines.push(`${last === '' ? '' : '</ul>\n'}<h2>${escapeHtml(host)}</h2>\n<ul>`)
    last = host
    const name = title === '' ? url : `${title} — ${url}`
    lines.push(`<li><a href="${relativeHref(listPath(list), path)}">${escapeHtml(name)}</a>`)
  }
  const ways = [
    '<a href="../index.html">Hosts</a>',
    ...(list > 1 ? [`<a href="${list - 1}.html">Before</a>`] : []),
    ...(isMore ? [`<a href="${list + 1}.html">Next</a>`] : []),
  ]
  const navigation = `<p>${ways.join(' · ')}`
  return document(`Exported pages, list ${list}`, `${navigation}\n${lines.join('\n')}\n</ul>\n${navigation}`)
}

function document(title: string, body: string): string {
  return `<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;overflow-wrap:anywhere}</style>
<h1>${escapeHtml(title)}</h1>
${body}
</html>
`
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
