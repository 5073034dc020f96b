/**
 * Port: stores packs. A pack is stored first and then committed in the ledger: after `append` it is durable,
 * but not committed yet.
 */

export type StoredKind = 'warc' | 'pages-log' | 'links-log' | 'items-log' | 'cdxj-log'

export interface StoredFile {
  /** Its final name, relative to the crawl directory, with `/`; while it is open, `.open` follows. */
  readonly name: string
  readonly kind: StoredKind
  /** Length after the append: the committed length once the ledger has the pack. */
  readonly bytes: number
  /** Digest of the first `bytes` (`file-digest.ts`). */
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
  /** Compressed WARC records, concatenated. */
  readonly warc: Buffer
  readonly pages: PackRows
  /** The texts of those rows (`text-blocks.ts`). */
  readonly texts: Buffer
  /** Facts about hosts (`host-facts.ts`); absent from packs of older agents. */
  readonly hosts?: Buffer
  readonly links: PackRows
  readonly cdxj: PackRows
  /** Rows that a guest extracted; absent without any. */
  readonly items?: PackRows
}

export type AppendResult =
  | { readonly ok: true; readonly files: readonly StoredFile[] }
  /** Nothing of the pack is left in the files; it can be appended again once there is room. */
  | { readonly ok: false; readonly code: 'DISK_FULL' | 'DISK_FAILED' | 'STORE_AWAY'; readonly detail: string }

export interface CloseResult {
  /** Files closed by this call. */
  readonly files: readonly StoredFile[]
  /** Failures of closing files, one line each; recovery repeats the work. */
  readonly problems: readonly string[]
}

export interface PackStore {
  /**
   * Appends durably; returns each touched file with its new length. The pack before it is then final: a file
   * has at most one uncommitted pack.
   */
  append(pack: PackBytes): Promise<AppendResult>
  /** Undoes the last append, after the ledger has definitely refused the pack. */
  undo(): Promise<void>
  /** Closes the store after its last commit: files get their final names, WARCs their sorted indexes. */
  close(): Promise<CloseResult>
  /** Closes the files as they are: the result of the last commit is unknown, so recovery decides. */
  abandon(): Promise<void>
}
