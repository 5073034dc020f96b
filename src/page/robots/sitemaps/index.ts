/**
 * page/robots/sitemaps/: sitemap -> URLs. In: a sitemap or a sitemap index, XML or text, perhaps compressed.
 * Out: its URLs. Always: size and depth have a bound.
 */
export { readSitemap, unpackSitemap } from './read-sitemap.js'
