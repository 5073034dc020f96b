/**
 * page/fetch/body/: the bytes of a response body. In: bytes from a socket. Out: the decoded body, cut at its
 * limit. Always: bodies in flight share one budget.
 */
export { BodyBudget, type Claim } from './body-budget.js'
export { BodyBuffer } from './body-buffer.js'
export { codingFor } from './codings.js'
export { ContentDecoder } from './content-decoder.js'
export type { Cut, Decoded } from './decoded.js'
