/**
 * page/parse/: response to page. In: a body (content-decoded) and its Content-Type. Out: links, facts and
 * main text. Always: the links are those that parse5 finds without scripts (the content of noscript counts,
 * that of a template does not), unless the page or its tree is too large for parse5; time and memory grow
 * linearly with the body; nothing throws, whatever the bytes are.
 */
export { encodeQuery, readContentType, toUtf8 } from './charset/index.js'
export { parsePage } from './parse-page.js'
export { closeEmptyTags } from './xhtml.js'
