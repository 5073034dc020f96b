import type { Exchange, Truncation } from '../../../model/index.js'
import type { ResponseHead } from './response-head.js'

/** An exchange before its Content-Encoding is undone. */
export interface ExchangeFacts
  extends Omit<
    Exchange,
    'status' | 'body' | 'truncated' | 'header' | 'headerValues' | 'settled' | 'release'
  > {
  readonly head: ResponseHead
  /** The body and its decoded form no longer count as in flight. */
  readonly settle: () => void
  /** Reuses the memory of the body for another response. */
  readonly recycle: () => void
}

export function exchangeOf(facts: ExchangeFacts, body: Buffer, truncated: Truncation | undefined): Exchange {
  const { head } = facts
  const exchange: Exchange = {
    url: facts.url,
    startedAt: facts.startedAt,
    fetchMs: facts.fetchMs,
    connectMs: facts.connectMs,
    remoteAddress: facts.remoteAddress,
    requestHead: facts.requestHead,
    status: head.status,
    responseHead: facts.responseHead,
    rawBody: facts.rawBody,
    payload: facts.payload,
    body,
    header: name => head.header(name),
    headerValues: name => head.values(name),
    settled: facts.settle,
    release: facts.recycle,
  }
  return truncated === undefined ? exchange : { ...exchange, truncated }
}
