/** What the process says when it ends. Scripts depend on these numbers: add, never change. */
export const EXIT = {
  done: 0,
  /** A bug in orbweaver. */
  internal: 1,
  /** `orbweaver robots`: robots.txt forbids the URL. */
  disallowed: 1,
  /** The disk is full or failing; nothing acknowledged is lost. */
  disk: 3,
  /** Bad flag, setting, URL, query or directory. */
  config: 4,
  /** The crawl ended, but not one page could be fetched. */
  noPage: 5,
  /** The crawl directory is in use by another process. */
  busy: 6,
  /** The ledger cannot be written, does not answer, refuses us, or was made by a newer version. */
  ledger: 7,
  /**
   * A file of the crawl directory or its ledger is damaged; `orbweaver verify` lists the damage, `orbweaver
   * repair` mends it.
   */
  damaged: 8,
  /**
   * The crawl directory comes from elsewhere and was not trusted yet (`--trust`), or does not belong to its
   * ledger.
   */
  untrusted: 9,
  /** --max-pages was reached; URLs are still queued. */
  limit: 10,
  /**
   * Ctrl-C, SIGTERM, SIGHUP or `orbweaver stop`: sealed and stopped. A query or export: a signal or
   * `--timeout`.
   */
  interrupted: 11,
  /** Ended, but some sites asked to wait longer than --max-wait and were set aside. */
  parked: 12,
  /** `orbweaver experiment`: it ran to its end, and a target was not met. */
  missed: 13,
  /** `orbweaver repair`: the crawl is sound again, but something was lost. */
  lost: 14,
} as const
