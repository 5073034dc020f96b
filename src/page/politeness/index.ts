/**
 * page/politeness/: when may the next request be sent? In: a site, its group and what its server asked for.
 * Out: turns, delays, back-off, rates, the margin of a lease. Always: never two requests to a site within its
 * delay, across hand-over and resume.
 */

export { KEEP_MS } from '../limits.js'
export { backOffMs } from './back-off.js'
export { GroupPace } from './group-pace.js'
export { LeaseMargin, type SendTime } from './lease-margin.js'
export { LeasedFetcher } from './leased-fetcher.js'
export { BegunRequest, PhaseGates, type PhaseGatesParts, type PhaseMistake } from './phase-gates.js'
export { PhasedFetcher } from './phased-fetcher.js'
export { type Delay, delayAfter, longestDelay } from './politeness.js'
export { RateLimit } from './rate-limit.js'
export { RequestAbort } from './request-abort.js'
export { type Pause, SitePace } from './site-pace.js'
export { TurnDemand } from './turn-demand.js'
export { Turns } from './turns.js'
