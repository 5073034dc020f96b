/**
 * What all cells of an agent share: memory for seen-sets, memory for queues, and a folder for what does not
 * fit.
 */
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { LIMITS } from '../../model/index.js'
import { QueueSpace, RankedRoom } from './queue/index.js'
import { SeenSpace } from './seen/index.js'

export interface FrontierSpaceOptions {
  /** Derived data: emptied at the start and at the end; made when something has to go there. */
  readonly folder: string
  readonly seenBytes: number
  readonly queueBytes: number
  /** Any 32-bit number the web cannot know. */
  readonly salt: number
}

export class FrontierSpace {
  readonly seen: SeenSpace
  readonly queues: QueueSpace
  readonly ranked = new RankedRoom(LIMITS.rankedBytes)

  constructor(options: FrontierSpaceOptions) {
    // Where nothing was, nothing is made before it is needed: the simulator begins thousands of incarnations.
    if (existsSync(options.folder)) {
      rmSync(options.folder, { recursive: true, force: true })
      mkdirSync(options.folder, { recursive: true })
    }
    this.seen = new SeenSpace({ folder: options.folder, limitBytes: options.seenBytes, salt: options.salt })
    this.queues = new QueueSpace(options.folder, options.queueBytes)
  }

  close(): void {
    this.seen.close()
    this.queues.close()
  }
}
