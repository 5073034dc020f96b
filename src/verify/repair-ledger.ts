/**
 * A damaged SQLite ledger. SQLite keeps no checksums, so what can still be read of it cannot be trusted: a
 * journal with a flipped bit is another journal. One flipped bit, the most common damage, is found from the
 * digest of the whole file and put back. Anything else makes the crawl one that can be read and not resumed.
 */
import { readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import {
  LEDGER_FILE,
  ledgerDigestPath,
  ledgerIntegrity,
  readLedgerDigest,
  writeLedgerDigest,
} from '../cluster/index.js'
import { writeFileAtomically } from '../store/index.js'
import type { Damage } from './damage.js'
import { flippedBit } from './flipped-bit.js'
import type { Quarantine } from './quarantine.js'

/** `restored`: a bit was put back. `sound`: only its digest was damaged. `lost`: nothing can be trusted. */
export type RepairedLedger = 'restored' | 'sound' | 'lost'

/**
 * The larger a file, the more likely that some single bit explains a larger damage by chance: one in 32 at
 * this size. Such a result must also be sound to SQLite, and every journal in it readable.
 */
const BYTES_MAX = 16 * 1024 * 1024

export function repairLedger(
  directory: string,
  damage: Damage,
  quarantine: Quarantine,
  isDry: boolean,
): RepairedLedger {
  const path = join(directory, LEDGER_FILE)
  const digest = damage.what === 'missing' ? 'none' : readLedgerDigest(path)
  if (damage.file === ledgerDigestPath(LEDGER_FILE) && isSound(path)) {
    if (!isDry) {
      quarantine.keep(damage.file, damage.detail)
      writeLedgerDigest(path)
    }
    return 'sound'
  }
  if (typeof digest === 'object') {
    const restored = restoredBytes(path, digest)
    if (restored !== null && putBack(path, restored, quarantine, isDry)) return 'restored'
  }
  if (!isDry) setAside(directory, damage, quarantine)
  return 'lost'
}

function isSound(path: string): boolean {
  try {
    return ledgerIntegrity(path) === null
  } catch {
    return false
  }
}

function restoredBytes(
  path: string,
  digest: { readonly bytes: number; readonly crc32: number },
): Buffer | null {
  const { size } = statSync(path)
  if (size !== digest.bytes || size > BYTES_MAX) return null
  const bytes = readFileSync(path)
  const bit = flippedBit(crc32(bytes) ^ digest.crc32, bytes.length)
  if (bit === null) return null
  bytes[bit >>> 3] ^= 1 << (bit & 7)
  return crc32(bytes) === digest.crc32 ? bytes : null
}

/** The old file gets its second name first; the new one takes its place in one step. */
function putBack(path: string, bytes: Buffer, quarantine: Quarantine, isDry: boolean): boolean {
  const draft = `${path}.repaired`
  writeFileAtomically(draft, bytes)
  const isGood = isSound(draft)
  for (const part of ['-wal', '-shm']) rmSync(draft + part, { force: true })
  if (isGood && !isDry) {
    quarantine.keep(LEDGER_FILE, 'had a flipped bit')
    renameSync(draft, path)
  }
  rmSync(draft, { force: true })
  return isGood
}

/** Without a ledger `query` and `export` go by the manifest of the tables. */
function setAside(directory: string, damage: Damage, quarantine: Quarantine): void {
  for (const part of ['', '-wal', '-shm', '.crc32']) {
    quarantine.keep(LEDGER_FILE + part, damage.detail)
    rmSync(join(directory, LEDGER_FILE + part), { force: true })
  }
}
