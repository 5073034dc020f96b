/**
 * Writes the learned data in the store's thread: one message for each batch of sites, then one with the
 * destination.
 */
import {
  Checksums,
  type LearnedTask,
  type LearnedTrouble,
  LearnedWriter,
  type SiteCount,
} from '../../plan/learn/index.js'

export type LearnStep =
  | { readonly at: 'begin' }
  | { readonly at: 'sites'; readonly counts: readonly SiteCount[] }
  | { readonly at: 'end'; readonly task: LearnedTask }

const checksums = new Checksums()
/** One writer at a time: a new `begin` abandons the previous writer. */
let writer = new LearnedWriter(checksums)

export async function learn(step: LearnStep): Promise<LearnedTrouble | null> {
  switch (step.at) {
    case 'begin':
      writer = new LearnedWriter(checksums)
      return null
    case 'sites':
      writer.add(step.counts)
      return null
    case 'end': {
      const own = writer
      writer = new LearnedWriter(checksums)
      return own.finish(step.task)
    }
  }
}
