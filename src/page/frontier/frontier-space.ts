/** Shared by all cells of an agent: memory for seen-sets and queues, and a folder for what does not fit. */
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { LIMITS } from '../../model/index.js'
import { QueueSpace, RankedRoom } from './queue/index.js'
import { SeenSpace } from './seen/index.js'

export interface FrontierSpaceOptions {
  /** Derived data: emptied at start and end; created when needed. */
  readonly folder: string
  readonly seenBytes: number
  readonly queueBytes: number
  /** A 32-bit number that the web cannot guess. */
  readonly salt: number
}

export class FrontierSpace {
  readonly seen: SeenSpace
  readonly queues: QueueSpace
  readonly ranked = new RankedRoom(LIMITS.rankedBytes)

  constructor(options: FrontierSpaceOptions) {
    // A missing folder is created only when needed, because the simulator starts thousands of incarnations.
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
