/** Names of the assignments and of what they may partition; `plan/assign/` has the implementations. */
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

/** Those that go by what was learned: by an earlier crawl, or by this one so far. */
export function isLearned(name: AssignmentName): boolean {
  return name === 'graph' || name === 'hypergraph' || name === 'hybrid'
}

export const NET_KINDS = ['page', 'site'] as const
/** `page`: a net for each page with links to other sites. `site`: all pages of a site together. */
export type NetKind = (typeof NET_KINDS)[number]
