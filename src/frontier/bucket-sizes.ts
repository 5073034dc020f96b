/** Sizes of KSpider's scheduler, with the numbers of its paper. */
export interface BucketSizes {
  /** A prime, and not the number of phases, or some columns would stay empty. */
  readonly columns: number
  /** Hosts of one column at a time. */
  readonly rows: number
  /** URLs that go to one connection together. */
  readonly list: number
  /** URLs that are looked at. */
  readonly window: number
}

export const BUCKET_SIZES: BucketSizes = { columns: 1_999, rows: 8, list: 20, window: 250_000 }
