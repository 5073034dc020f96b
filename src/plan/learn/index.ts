/**
 * plan/learn/: what a crawl learns for the next one (S1). In: the sites of the ledger, and notes of table
 * conversion about links and hosts. Out: the folder `learned/` of the crawl directory, and from it a
 * `LearnedWeb`. Always: `learned/` is complete according to its manifest, or the reason why it cannot be used
 * is reported. What this crawl did not learn anew is kept from the previous crawl.
 */
export { Checksums, LEARNED_MANIFEST, type LearnedTrouble, learnedFilesOf } from './learned-folder.js'
export { readLearned } from './read-learned.js'
export { countOf, type SiteCount } from './site-count.js'
export { type LearnedTask, LearnedWriter } from './write-learned.js'
