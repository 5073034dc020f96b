/**
 * page/fetch/http/: HTTP/1.1 on the wire. In: a request, and bytes from a socket. Out: the request's bytes;
 * the head and body of the response. Always: ambiguous framing ends the connection.
 */
export { ChunkScanner, dechunk } from './chunk-scanner.js'
export { confirms, confirmsKnown, isConditional, unconditional } from './conditional.js'
export { codingsOf } from './framing.js'
export { type ExchangeFacts, exchangeOf } from './http-exchange.js'
export { RequestHeads } from './request-head.js'
export { headEnd, parseHead, ResponseHead } from './response-head.js'
export { type BodyJudge, ResponseReader } from './response-reader.js'
export { retryAfterHeaderMs } from './retry-after.js'
export { isWantedType, type Unwanted, unwantedBody } from './unwanted-body.js'
