/**
 * The digest of a SQLite ledger, in a small file beside it. SQLite keeps no checksums of its pages, so a
 * flipped bit in one may change what a crawl seems to consist of. The digest is written when a connection
 * that changed the ledger is closed, and removed before the next change: it is there only while it is right.
 * Both happen under SQLite's write lock. After a kill -9 there is none until the next clean end.
 */
import { existsSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Crc32, digestFile, readSealed, syncDirectory, writeSealed } from '../store/index.js'

const SUFFIX = '.crc32'
const ROLE = 'ledger digest'

export interface LedgerDigest {
  readonly bytes: number
  readonly crc32: Crc32
}

export function ledgerDigestPath(ledger: string): string {
  return ledger + SUFFIX
}

/** `none`: the ledger is being written, or its last writer was killed. */
export function readLedgerDigest(ledger: string): LedgerDigest | 'none' | 'damaged' {
  const path = ledgerDigestPath(ledger)
  try {
    const file = readSealed(path, ROLE)
    if (file?.seal !== 'right') return existsSync(path) ? 'damaged' : 'none'
    return file.content as LedgerDigest
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'none'
    throw error
  }
}

/** All of the ledger is in its file, and nobody writes to it meanwhile. */
export function writeLedgerDigest(ledger: string): void {
  const { bytes, crc32 } = digestFile(ledger, 'ledger', statSync(ledger).size)
  writeSealed(ledgerDigestPath(ledger), ROLE, { bytes, crc32 } satisfies LedgerDigest)
}

/** Durable before it returns: after a loss of power an old digest would accuse a sound ledger. */
export function removeLedgerDigest(ledger: string): void {
  const path = ledgerDigestPath(ledger)
  if (!existsSync(path)) return
  rmSync(path, { force: true })
  syncDirectory(dirname(path))
}
