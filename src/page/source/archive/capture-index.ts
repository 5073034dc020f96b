/**
 * Where the captures of each URL are: an SQLite file, so that memory does not grow with the archive. A URL is
 * found by a fingerprint of 53 bits; its record says whether it is the right one.
 */
import Database from 'libsql'
import { fingerprint, takeFingerprint } from '../../../model/bytes/index.js'
import type { Millis } from '../../../model/index.js'
import { CAPTURE_COMMIT_ROWS } from '../../limits.js'

/** `resource`: a file without a response head. `revisit`: refers to another capture. */
const KINDS = ['response', 'resource', 'revisit'] as const
export type CaptureKind = (typeof KINDS)[number]

export interface Capture {
  readonly url: string
  readonly at: Millis
  /** Number of the WARC, from 0. */
  readonly file: number
  readonly offset: number
  /** Bytes of the compressed record. */
  readonly length: number
  readonly kind: CaptureKind
  /** Payload digest; empty if unknown. */
  readonly digest: string
}

export interface CapturePlace extends Pick<Capture, 'at' | 'file' | 'offset' | 'length' | 'kind'> {}

const SCHEMA = `
  CREATE TABLE capture (url INTEGER NOT NULL, at INTEGER NOT NULL, file INTEGER NOT NULL, offset INTEGER NOT NULL,
    length INTEGER NOT NULL, kind INTEGER NOT NULL, digest INTEGER NOT NULL);
  CREATE TABLE file (number INTEGER PRIMARY KEY, path TEXT NOT NULL);
  CREATE TABLE made_of (text TEXT NOT NULL);
`
const INDEXES = `
  CREATE INDEX capture_by_url ON capture (url, at);
  CREATE INDEX capture_by_digest ON capture (digest) WHERE digest <> 0 AND kind <> ${KINDS.indexOf('revisit')};
`
const PLACE = 'at, file, offset, length, kind FROM capture'

export class CaptureIndexWriter {
  readonly #db: Database.Database
  readonly #insert: Database.Statement
  #rows = 0

  /** `path`: a file that does not exist yet. */
  constructor(path: string, files: readonly string[], madeOf: string) {
    this.#db = new Database(path)
    for (const setting of ['journal_mode = OFF', 'synchronous = OFF', 'cache_size = -32000'])
      this.#db.pragma(setting)
    this.#db.exec(SCHEMA)
    this.#insert = this.#db.prepare('INSERT INTO capture VALUES (?, ?, ?, ?, ?, ?, ?)')
    const file = this.#db.prepare('INSERT INTO file VALUES (?, ?)')
    for (const [number, name] of files.entries()) file.run(number, name)
    this.#db.prepare('INSERT INTO made_of VALUES (?)').run(madeOf)
    this.#db.exec('BEGIN')
  }

  get rows(): number {
    return this.#rows
  }

  add({ url, at, file, offset, length, kind, digest }: Capture): void {
    const digestKey = digest === '' || kind === 'revisit' ? 0 : keyOf(digest)
    this.#insert.run(keyOf(url), at, file, offset, length, KINDS.indexOf(kind), digestKey)
    if (++this.#rows % CAPTURE_COMMIT_ROWS === 0) this.#db.exec('COMMIT; BEGIN')
  }

  finish(): void {
    this.#db.exec('COMMIT')
    this.#db.exec(INDEXES)
    this.#db.close()
  }

  abandon(): void {
    this.#db.close()
  }
}

type Row = Omit<CapturePlace, 'kind'> & { readonly kind: number }

export class CaptureIndex {
  readonly #db: Database.Database
  readonly #byUrl: Database.Statement
  readonly #byDigest: Database.Statement
  readonly files: readonly string[]

  private constructor(db: Database.Database) {
    this.#db = db
    // Of captures of one second, the one that was written last counts.
    this.#byUrl = db.prepare(`SELECT ${PLACE} WHERE url = ? ORDER BY at DESC, file DESC, offset DESC`)
    this.#byDigest = db.prepare(`SELECT ${PLACE} WHERE digest = ? AND digest <> 0 AND kind <> 2 LIMIT 8`)
    const rows = db.prepare('SELECT path FROM file ORDER BY number').all() as { path: string }[]
    this.files = rows.map(({ path }) => path)
  }

  static open(path: string): CaptureIndex {
    return new CaptureIndex(new Database(path, { readonly: true }))
  }

  /** What the index at `path` was made of; null if there is no readable index. */
  static madeOf(path: string): string | null {
    try {
      const db = new Database(path, { readonly: true, fileMustExist: true } as Database.Options)
      try {
        return (db.prepare('SELECT text FROM made_of').get() as { text: string } | undefined)?.text ?? null
      } finally {
        db.close()
      }
    } catch {
      return null
    }
  }

  /** The latest first. Captures of another URL may be among them. */
  capturesOf(url: string): readonly CapturePlace[] {
    return (this.#byUrl.all(keyOf(url)) as Row[]).map(placeOf)
  }

  capturesWith(digest: string): readonly CapturePlace[] {
    return (this.#byDigest.all(keyOf(digest)) as Row[]).map(placeOf)
  }

  close(): void {
    this.#db.close()
  }
}

function placeOf({ at, file, offset, length, kind }: Row): CapturePlace {
  return { at, file, offset, length, kind: KINDS[kind] }
}

/** As many bits of the fingerprint as a number holds exactly. */
function keyOf(text: string): number {
  takeFingerprint(text)
  return (fingerprint.high & 0x1f_ffff) * 2 ** 32 + fingerprint.low
}
