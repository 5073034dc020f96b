/**
 * File extensions by content type. A browser decides by the extension of a file how to show it, so a file of
 * a type listed here must have one of the extensions of its type. Other extensions are replaced by the first
 * in the list.
 */
const EXTENSIONS: Readonly<Record<string, readonly string[]>> = {
  'text/html': ['.html', '.htm'],
  'application/xhtml+xml': ['.xhtml', '.xht', '.html'],
  'text/css': ['.css'],
  'text/javascript': ['.js', '.mjs'],
  'application/javascript': ['.js', '.mjs'],
  'application/x-javascript': ['.js', '.mjs'],
  'application/json': ['.json', '.map'],
  'application/ld+json': ['.json', '.jsonld'],
  'application/manifest+json': ['.json', '.webmanifest'],
  'text/plain': ['.txt', '.md', '.log', '.csv', '.ini', '.conf', '.diff', '.patch'],
  'text/markdown': ['.md'],
  'text/csv': ['.csv'],
  'text/xml': ['.xml', '.rss', '.atom', '.xsl'],
  'application/xml': ['.xml', '.rss', '.atom', '.xsl'],
  'application/rss+xml': ['.xml', '.rss'],
  'application/atom+xml': ['.xml', '.atom'],
  'image/svg+xml': ['.svg'],
  'image/png': ['.png'],
  'image/jpeg': ['.jpg', '.jpeg'],
  'image/gif': ['.gif'],
  'image/webp': ['.webp'],
  'image/avif': ['.avif'],
  'image/x-icon': ['.ico'],
  'image/vnd.microsoft.icon': ['.ico'],
  'font/woff': ['.woff'],
  'font/woff2': ['.woff2'],
  'font/ttf': ['.ttf'],
  'video/mp4': ['.mp4', '.m4v'],
  'video/webm': ['.webm'],
  'audio/mpeg': ['.mp3'],
  'audio/ogg': ['.ogg', '.oga'],
  'application/pdf': ['.pdf'],
  'application/zip': ['.zip'],
  'application/gzip': ['.gz', '.tgz'],
  'application/wasm': ['.wasm'],
}

/**
 * The extension that a file of this type gets if its extension is `found`; empty if any extension is
 * accepted.
 */
export function extensionFor(mime: string, found: string): string {
  const accepted = EXTENSIONS[mime]
  if (accepted === undefined) return ''
  const lower = found.toLowerCase()
  return accepted.includes(lower) ? lower : accepted[0]
}
