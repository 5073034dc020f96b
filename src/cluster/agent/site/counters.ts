/** Counts of an agent, for the progress line, the heartbeat and the report. */
export class Counters {
  /** Requests sent, without robots.txt. */
  fetches = 0
  /** Requests whose result is in a pack that was shipped. */
  concluded = 0
  /** Pages settled with content (2xx or 304), acknowledged or not. */
  pages = 0
  /** Payload bytes received. */
  bytes = 0
  /** URLs settled without content: failed, refused, 4xx, 5xx. */
  errors = 0
  redirects = 0
  /** Failed requests that will be repeated. */
  retries = 0
  /** Acknowledged links from other agents, and the messages with them. */
  exchanged = 0
  messages = 0
  coalescedMessages = 0
  /** Packs committed, and packs or cells refused as stale. */
  packs = 0
  stalePacks = 0
  refusedFinishes = 0
  /** Cells that were taken away by force. */
  forcedCells = 0
}
