/**
 * migrate/tour/: one site, crawled at its source. In: a bundle, a fetcher of the source, and a lease that the
 * host keeps. Out: numbered parts of a return, and at home what they say. Always: robots.txt of the site is
 * obeyed, no request is sent after the lease, and a home believes only what it could have asked for.
 */

export { type ReadPart, readPart } from './read-part.js'
export { ReturnWriter } from './return-writer.js'
export { Tour, type TourLimits, type TourParts } from './tour.js'
