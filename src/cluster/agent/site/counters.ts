/** What an agent has done so far: read by the progress line, the heartbeat and the report. */
export class Counters {
  /** Requests sent, robots.txt apart. */
  fetches = 0
  /** Those of them whose end is in a pack that was shipped. */
  concluded = 0
  /** Pages settled with content (2xx or 304), acknowledged or not yet. */
  pages = 0
  /** Payload bytes received. */
  bytes = 0
  /** URLs settled without content: failed, refused, 4xx, 5xx. */
  errors = 0
  redirects = 0
  /** Requests that will be made again because this one failed. */
  retries = 0
  /** Links that came from other agents, and the messages they came in, acknowledged. */
  exchanged = 0
  messages = 0
  coalescedMessages = 0
  /** Packs committed, and packs or cells refused as stale. */
  packs = 0
  stalePacks = 0
  refusedFinishes = 0
  /** Cells that were taken away by force, because they did not go by themselves. */
  forcedCells = 0
}
