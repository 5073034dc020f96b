/**
 * `--source PREFIX=SPEC`: where the URLs below a prefix come from, instead of from the server that they name.
 */
import { resolve } from 'node:path'
import { normaliseUrl, originOf, pathStart } from '../model/url/index.js'

/** `prefix` ends in a slash; it is empty for `*`, which means every URL. */
export type Source =
  /** A directory that holds the files of the site. */
  | { readonly kind: 'directory'; readonly prefix: string; readonly root: string }
  /** Another server that answers for the site. */
  | { readonly kind: 'origin'; readonly prefix: string; readonly origin: string }
  /** WARC files; the last part of the path may have wildcards. */
  | { readonly kind: 'archive'; readonly prefix: string; readonly pattern: string }

/** Returns the source, or why the text is none. */
export function readSource(text: string): Source | string {
  const [, url = '', spec = ''] = /^(.*?)=((?:dir:|warc:|https?:\/\/).*)$/s.exec(text) ?? []
  if (spec === '')
    return `"${text}" must be PREFIX=SPEC, with a SPEC such as dir:/var/www, warc:/archive/*.warc.gz or http://127.0.0.1:8080`
  const prefix = prefixOf(url)
  if (prefix === null)
    return `"${url}" is not an http or https URL; write the prefix like https://example.org/`
  const path = spec.slice(spec.indexOf(':') + 1)
  if (spec.startsWith('warc:')) {
    return path === '' ? `"${text}" names no WARC file` : { kind: 'archive', prefix, pattern: path }
  }
  if (prefix === '') return `"${text}": * is only for archives; name the site`
  if (spec.startsWith('dir:')) {
    return path === '' ? `"${text}" names no directory` : { kind: 'directory', prefix, root: path }
  }
  const origin = normaliseUrl(spec)
  if (origin === null || pathStart(origin) !== origin.length - 1)
    return `"${spec}" must be an origin without a path, such as http://127.0.0.1:8080`
  return { kind: 'origin', prefix, origin: originOf(origin) }
}

/** A prefix ends at a slash, so that it never covers a part of a name. */
function prefixOf(text: string): string | null {
  if (text === '*') return ''
  const url = normaliseUrl(text)
  if (url === null || url.includes('?')) return null
  return url.endsWith('/') ? url : `${url}/`
}

/** The setting with an absolute path, so that it means the same in every directory. */
export function wholeSource(text: string): string {
  const source = readSource(text)
  if (typeof source === 'string') throw new TypeError(source)
  if (source.kind === 'origin') return `${source.prefix}=${source.origin}`
  const prefix = source.prefix === '' ? '*' : source.prefix
  return source.kind === 'directory'
    ? `${prefix}=dir:${resolve(source.root)}`
    : `${prefix}=warc:${resolve(source.pattern)}`
}
