import type { HostCard, Progress, Renewal } from '../bundle/index.js'

/** `refused`: the host answered, and will not take the bundle. `failed`: it did not answer. */
export type Sent =
  | { readonly is: 'accepted'; readonly progress: Progress }
  | { readonly is: 'refused' | 'failed'; readonly why: string }

/** Port: brings bundles to one host, and parts from it. Nothing is thrown for what host or network do. */
export interface Carrier {
  /** What the host says about itself; null if there is none. */
  card(): Promise<HostCard | null>
  send(bundle: Buffer): Promise<Sent>
  /** Null if the host refuses the renewal, has no such tour, or does not answer. */
  renew(renewal: Renewal): Promise<Progress | null>
  /** Null if it is not there, is longer than `mostBytes`, or the host does not answer. */
  part(tour: string, number: number, mostBytes: number): Promise<Buffer | null>
}
