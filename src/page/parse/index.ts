/**
 * Response to page. In come a body (content-decoded) and its Content-Type; out go links, facts and main text.
 * What always holds: the links are those a full HTML parser (parse5, without scripts) would find, unless the
 * page, or the tree it makes, is larger than that parser is trusted with; time and memory grow no faster than
 * the body; nothing throws whatever the bytes are. As no script is run, the content of noscript counts; that
 * of a template does not.
 */
export { encodeQuery, readContentType, toUtf8 } from './charset/index.js'
export { parsePage } from './parse-page.js'
export { closeEmptyTags } from './xhtml.js'
