import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { type DefaultTreeAdapterTypes, parse } from 'parse5'
import { fileOf } from './corpus.js'

/** Any origin will do: only the path is kept. */
const ORIGIN = 'http://127.0.0.1'

/**
 * Which pages of a folder a complete crawl must fetch: found by a full HTML parser and nothing clever, so
 * that no crawler is measured by its own idea of a link.
 */
export async function reachablePages(folder: string, start: string): Promise<Set<string>> {
  const pages = new Set([start])
  for (const page of pages) {
    const html = await readFile(fileOf(folder, page), 'utf8')
    for (const href of hrefsOf(parse(html))) {
      const target = URL.canParse(href, ORIGIN + page) ? new URL(href, ORIGIN + page) : undefined
      if (target?.origin !== ORIGIN) continue
      // A query asks for the same file again, which tells a crawler nothing new but counts as a page of its
      // own.
      const path = target.pathname
      if (!pages.has(path + target.search) && (await isPage(folder, path))) pages.add(path + target.search)
    }
  }
  return pages
}

async function isPage(folder: string, path: string): Promise<boolean> {
  // A server has nothing under a path that cannot be decoded.
  if (/%(?![0-9a-f]{2})/i.test(path)) return false
  const file = fileOf(folder, path)
  return file.endsWith('.html') && existsSync(file) && (await stat(file)).isFile()
}

const LINK_ATTRIBUTES: Readonly<Record<string, string>> = {
  a: 'href',
  area: 'href',
  iframe: 'src',
  frame: 'src',
}

function* hrefsOf(node: DefaultTreeAdapterTypes.Node): Generator<string> {
  if ('tagName' in node) {
    const wanted = LINK_ATTRIBUTES[node.tagName]
    const found = wanted && node.attrs.find(attribute => attribute.name === wanted)
    if (found) yield found.value
  }
  if ('childNodes' in node) for (const child of node.childNodes) yield* hrefsOf(child)
}
