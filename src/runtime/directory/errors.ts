/** What can keep a session from starting or going on; `message` is one line for the user. */

/** Another process works on this directory. */
export class DirectoryBusyError extends Error {
  override readonly name = 'DirectoryBusyError'
}

/** The disk stayed too full for too long. */
export class DiskFullError extends Error {
  override readonly name = 'DiskFullError'
}

/** Agents end as soon as they are started. */
export class AgentRestartLimitError extends Error {}

/** A crawl of a newer orbweaver: going on with it could lose something. */
export class NewerCrawlError extends Error {
  override readonly name = 'NewerCrawlError'
}
