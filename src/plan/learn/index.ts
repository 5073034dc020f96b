/**
 * learn/: what a crawl keeps for the next (S1, H6). In: the sites of the ledger, and what conversion noted of
 * links and hosts. Out: `learned/` in the crawl directory, and from there a `LearnedWeb`. Always: `learned/`
 * is whole by its manifest, or said to be of no use; what this crawl has nothing new about is kept from the
 * one before.
 */
export { Checksums, LEARNED_MANIFEST, type LearnedTrouble, learnedFilesOf } from './learned-folder.js'
export { readLearned } from './read-learned.js'
export { countOf, type SiteCount } from './site-count.js'
export { type LearnedTask, LearnedWriter } from './write-learned.js'
