/**
 * Port: where packs go. Store first, then the ledger: what `append` returned is durable, and not yet
 * committed.
 */

export type StoredKind = 'warc' | 'pages-log' | 'links-log' | 'cdxj-log'

export interface StoredFile {
  /**
   * Relative to the crawl directory, with `/`: its name once it is closed. While open it has `.open` behind
   * it.
   */
  readonly name: string
  readonly kind: StoredKind
  /** Length after the append: the committed length once the ledger has the pack. */
  readonly bytes: number
  /** Of the first `bytes`, see `file-digest.ts`. */
  readonly crc32: number
}

/** Encoded rows; places in the WARC are relative to the pack. */
export interface PackRows {
  readonly bytes: Buffer
  readonly rows: number
}

/** A pack as bytes: plain values, so that it can travel to another machine. */
export interface PackBytes {
  readonly id: string
  /** The name of the agent that made it. */
  readonly agent: string
  /** Compressed WARC records, one behind the other. */
  readonly warc: Buffer
  readonly pages: PackRows
  /** The texts of those rows, see `text-blocks.ts`. */
  readonly texts: Buffer
  /** What it says of hosts, see `host-facts.ts`; absent from packs of older agents. */
  readonly hosts?: Buffer
  readonly links: PackRows
  readonly cdxj: PackRows
}

export type AppendResult =
  | { readonly ok: true; readonly files: readonly StoredFile[] }
  /** Nothing of the pack is left in the files; it can be appended again once there is room. */
  | { readonly ok: false; readonly code: 'DISK_FULL' | 'DISK_FAILED' | 'STORE_AWAY'; readonly detail: string }

export interface CloseResult {
  /** Files closed by this call. */
  readonly files: readonly StoredFile[]
  /**
   * What went wrong while files were closed, one line each. Nothing is lost by it: recovery does it again.
   */
  readonly problems: readonly string[]
}

export interface PackStore {
  /**
   * Appends and fsyncs; returns each touched file with its new length. Says at the same time that the pack
   * before is committed (or taken back): a file carries at most one uncommitted pack.
   */
  append(pack: PackBytes): Promise<AppendResult>
  /** Takes back the last append after a definite refusal by the ledger. */
  undo(): Promise<void>
  /** The last pack is committed and no more will come: files get their names, WARCs their sorted index. */
  close(): Promise<CloseResult>
  /** Lets go of the files as they are: the answer to the last commit is unknown, so recovery decides. */
  abandon(): Promise<void>
}
