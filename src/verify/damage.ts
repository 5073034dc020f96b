/** One damaged, missing or unexpected file of a crawl directory. */
export interface Damage {
  /** Relative to the crawl directory, e.g. `archive/x-1-00001.warc.gz`. */
  readonly file: string
  readonly kind:
    | 'warc'
    | 'cdxj'
    | 'parquet'
    | 'rows'
    | 'learned'
    | 'ledger'
    | 'crawl'
    | 'generations'
    | 'manifest'
    | 'report'
  readonly what: 'missing' | 'short' | 'altered' | 'unreadable'
  /** One line for a person. */
  readonly detail: string
}
