/** Names of the assignments and kinds of nets; `plan/assign/` has the implementations. */
export const ASSIGNMENTS = [
  'dynamic',
  'hash',
  'static-random',
  'static-size',
  'phases',
  'graph',
  'hypergraph',
  'hybrid',
] as const
export type AssignmentName = (typeof ASSIGNMENTS)[number]

/** Assignments that partition what an earlier crawl, or this one so far, has learned. */
export function isLearned(name: AssignmentName): boolean {
  return name === 'graph' || name === 'hypergraph' || name === 'hybrid'
}

export const NET_KINDS = ['page', 'site'] as const
/** `page`: a net for each page with links to other sites. `site`: all pages of a site together. */
export type NetKind = (typeof NET_KINDS)[number]
