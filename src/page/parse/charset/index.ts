/**
 * page/parse/charset/: what a body is, and in which encoding. In: a body and its Content-Type. Out: its media
 * type, and its bytes as UTF-8. Always: nothing throws, whatever the bytes or the labels are.
 */
export { encodingName, toUtf8, type Utf8Page } from './charset.js'
export { type ContentType, readContentType } from './content-type.js'
export { detectType, isHtml } from './mime.js'
export { encodeQuery, hasOwnQueries } from './query-charset.js'
