/**
 * Response to page. In come a body (content-decoded) and its Content-Type; out go links, facts and main text.
 * What always holds: the links are those a full HTML parser (parse5, without scripts) would find, unless the page is
 * larger or deeper than that parser is trusted with; time and memory grow no faster than the body; nothing throws
 * whatever the bytes are. As no script is run, the content of noscript counts. Links of a template do not: it is inert.
 */
export { detectMime } from './mime.js'
export { type ParseRequest, parsePage } from './parse-page.js'
