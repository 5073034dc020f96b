/**
 * File extensions by content type. A browser that opens a file decides by its extension what it is, so types
 * that matter to it must have one of theirs; the first is given to files that do not.
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

/** The extension a file of this type should have when it now ends in `found`; empty when any will do. */
export function extensionFor(mime: string, found: string): string {
  const accepted = EXTENSIONS[mime]
  if (accepted === undefined) return ''
  const lower = found.toLowerCase()
  return accepted.includes(lower) ? lower : accepted[0]
}
